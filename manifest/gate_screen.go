package manifest

import "slices"

// gateScreen checks the builder rules of one screen (manifest.md §12.2).
func gateScreen(m *Manifest, screen *Screen, pointer string, r *report) {
	layers := m.layersOf[screen]
	gateAuth(layers, r)
	gateBackground(m, screen, pointer, r)
	continues := slices.ContainsFunc(layers, func(p *placedLayer) bool {
		return p.Action != nil && p.Action.Kind == "continue"
	})
	for _, p := range layers {
		switch {
		case p.Kind.IsManualSubmit() && !continues:
			r.fail(p.pointer, "input.no_continue", "The screen needs a button that continues, or the answer can't be given.")
		case (p.Kind == KindText || p.Kind == KindIcon) && !p.hasColor():
			r.fail(at(p.pointer, "style", "color"), "layer.missing_color", "A layer of kind %s needs a color.", p.Kind)
		case p.Kind.isMedia():
			checkTrigger(m, screen, p.ID, &p.Player, nil, p.pointer, r)
		case p.Action != nil:
			gateAction(m, p, pointer, r)
		}
	}
}

func (l *Layer) hasColor() bool {
	if l.Style != nil && l.Style.Color != nil {
		return true
	}
	for _, style := range l.StyleBreakpoints {
		if style.Color != nil {
			return true
		}
	}
	return false
}

// gateAuth: a screen signs in one way, and asks for nothing else then.
func gateAuth(layers []*placedLayer, r *report) {
	var first, input *placedLayer
	for _, p := range layers {
		if p.Kind.IsInput() && input == nil {
			input = p
		}
		if p.Kind != KindOauthLogin && p.Kind != KindEmailPasswordAuth {
			continue
		}
		switch {
		case first == nil:
			first = p
		case first.Kind == p.Kind:
			r.fail(p.pointer, "auth.duplicate", "The screen has another %s.", p.Kind)
		default:
			r.fail(p.pointer, "auth.two_kinds", "The screen has both %s and %s.", first.Kind, p.Kind)
		}
	}
	if first != nil && input != nil {
		r.fail(first.pointer, "auth.with_input", "A screen that signs in can't have an input (%s).", input.ID)
	}
}

// backgroundID returns the playback id of a screen's background video.
func backgroundID(screen *Screen) string { return "__screen_bg__:" + screen.ID }

func gateBackground(m *Manifest, screen *Screen, pointer string, r *report) {
	fill := screen.ContainerStyle.BackgroundFill
	if fill == nil || fill.Kind == "color" {
		return
	}
	place := at(pointer, "containerStyle", "backgroundFill")
	if fill.Media == nil {
		r.fail(at(place, "media"), "screen.background_media", "The background needs a media asset.")
	}
	if fill.Kind != "video" {
		return
	}
	checkTrigger(m, screen, backgroundID(screen), &fill.Player, nil, place, r)
	for _, name := range breakpoints {
		if patch := screen.ContainerStyleBreakpoints[name]; patch != nil && patch.BackgroundFillPatch != nil {
			place := at(pointer, "containerStyleBreakpoints", name, "backgroundFillPatch")
			checkTrigger(m, screen, backgroundID(screen), &patch.BackgroundFillPatch.Player, &fill.Player, place, r)
		}
	}
}

// checkTrigger: what does not play by itself needs a button that plays it, and
// that button has to know. base is what a patch is laid over.
func checkTrigger(m *Manifest, screen *Screen, id string, player, base *Player, pointer string, r *report) {
	pointer = at(pointer, "triggerLayerId")
	if player.TriggerLayerID == "" {
		inherits := base != nil && base.TriggerLayerID != ""
		if player.AutoPlay != nil && !*player.AutoPlay && !inherits {
			r.fail(pointer, "media.no_trigger", "What does not play by itself needs the button that plays it.")
		}
		return
	}
	button := m.layersByID[player.TriggerLayerID]
	if button == nil || button.screen != screen || button.Action == nil || button.Action.Kind != "play_media" ||
		!slices.Contains(button.Action.TargetLayerIDs, id) {
		r.fail(pointer, "media.trigger", "%s is no button of this screen that plays %s.", clip(player.TriggerLayerID), id)
	}
}

// gateAction checks what a button acts on.
func gateAction(m *Manifest, p *placedLayer, screenPointer string, r *report) {
	action := at(p.pointer, "action")
	switch p.Action.Kind {
	case "play_media":
		for i, id := range p.Action.TargetLayerIDs {
			target := m.layersByID[id]
			fill := p.screen.ContainerStyle.BackgroundFill
			onScreen := target != nil && target.screen == p.screen && target.Kind.isMedia()
			background := id == backgroundID(p.screen) && fill != nil && fill.Kind == "video"
			if !onScreen && !background {
				r.fail(at(action, "targetLayerIds", i), "play_media.target", "There is no player %s on this screen.", clip(id))
			}
		}
	case "advance_carousel":
		place := at(action, "targetLayerId")
		target := m.layersByID[p.Action.TargetLayerID]
		switch {
		case target == nil || target.screen != p.screen || target.Kind != KindCarousel:
			r.fail(place, "advance_carousel.target", "There is no carousel %s on this screen.", clip(p.Action.TargetLayerID))
		case len(target.Slides) == 1:
			r.warn(place, "advance_carousel.single_slide", "The carousel has one slide only.")
		case p.Action.OnLast == "complete" && target.Loop != nil && *target.Loop:
			r.warn(
				at(action, "onLast"), "advance_carousel.never_last", "A carousel that loops has no last slide to complete on.",
			)
		}
	case "request_app_review":
		next := p.screen.Next.Default
		if next == nil || !m.isScreen(*next) && !m.isDecision(*next) {
			r.fail(
				at(screenPointer, "next", "default"), "app_review.next",
				"After a review the flow must go on to a screen or a decision.",
			)
		}
	case "dismiss_banner":
		r.warn(at(action, "kind"), "button.banner_only", "Only a banner can be dismissed; in a flow the button does nothing.")
	}
}
