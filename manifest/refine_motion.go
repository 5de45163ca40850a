package manifest

// refineClips checks the animations of a screen (manifest.md §9.3, §11.5).
func refineClips(m *Manifest, screen *Screen, pointer string, r *report) {
	onScreen := map[string]bool{}
	for _, p := range m.layersOf[screen] {
		onScreen[p.ID] = true
	}
	ids := map[string]bool{}
	for i, c := range screen.Animations {
		pointer := at(pointer, "animations", i)
		if ids[c.ID] {
			r.fail(at(pointer, "id"), "clip.duplicate_id", "The screen has another clip with the id %s.", clip(c.ID))
		}
		ids[c.ID] = true
		if !onScreen[c.TargetLayerID] {
			r.fail(
				at(pointer, "targetLayerId"), "clip.unknown_layer", "There is no layer %s on this screen.", clip(c.TargetLayerID),
			)
		}
		switch {
		case c.Trigger == "stagger" && c.StaggerIndex == nil:
			r.fail(at(pointer, "staggerIndex"), "clip.stagger_index", "A staggered clip needs a staggerIndex.")
		case c.Trigger == "unmount" && c.StaggerIndex != nil:
			r.fail(at(pointer, "staggerIndex"), "clip.stagger_index", "A clip that plays on leaving has no staggerIndex.")
		}
		properties := map[string]bool{}
		for j, track := range c.Tracks {
			pointer := at(pointer, "tracks", j)
			if properties[track.Property] {
				r.fail(at(pointer, "property"), "clip.duplicate_property", "The clip has another track for %s.", track.Property)
			}
			properties[track.Property] = true
			refineKeyframes(track.Keyframes, at(pointer, "keyframes"), r)
		}
	}
}

// refineKeyframes: time runs from 0 to 1 and not backwards.
func refineKeyframes(frames []Keyframe, pointer string, r *report) {
	const code = "clip.keyframe_time"
	last := len(frames) - 1
	for i, frame := range frames {
		switch pointer := at(pointer, i, "t"); {
		case i == 0 && frame.T != 0:
			r.fail(pointer, code, "The first keyframe must be at 0.")
		case i == last && frame.T != 1:
			r.fail(pointer, code, "The last keyframe must be at 1.")
		case i > 0 && frame.T < frames[i-1].T:
			r.fail(pointer, code, "A keyframe must not be before the one in front of it.")
		}
	}
}
