package problem

// words are a sentence, in which {it} is where the problem is, and how it is fixed.
type words struct{ message, hint string }

// sentences has the codes whose sentence for programs names ids or values. The others are told by that sentence.
var sentences = map[string]words{
	"flow.no_screens": {"The flow has no screens.", "Add a screen."},
	"flow.no_entry":   {"The flow has no first screen.", "Make one of its screens the first."},
	"flow.no_completion_path": {
		"No way from the first screen completes the flow.", "Let a screen end the flow.",
	},
	"screen.unreachable": {
		"Nothing leads to {it}.",
		"Lead another screen to it, or delete it.",
	},
	"decision.unreachable": {
		"Nothing leads to {it}.",
		"Lead a screen to it, or delete it.",
	},
	"external_surface.unreachable": {
		"Nothing leads to {it}.",
		"Lead a screen to it, or delete it.",
	},
	"decision.incomplete_branches": {"A way out of {it} leads nowhere.", "Choose where it leads."},
	"decision.cycle": {
		"{it} leads back to itself with no screen between.", "Put a screen between, or lead it elsewhere.",
	},
	"decision.field_not_on_every_path": {
		"{it} decides by an answer that some paths do not ask for.", "Ask for it before, or lead the others elsewhere.",
	},
	"conditional.incomplete_cases": {"A case of {it} has no condition.", "Say when it holds."},
	"conditional.field_not_answered": {
		"{it} depends on an answer that is only given later on the same screen.", "Ask for it on a screen before.",
	},
	"expression.unknown_field": {
		"A condition of {it} reads an answer that nothing asks for.", "Choose another answer, or add the question.",
	},
	"expression.unlisted_attribute": {
		"A condition of {it} reads an attribute that the flow does not list.", "Add it to the attributes of the flow.",
	},
	"graph.unknown_target": {"{it} leads to a step that is not there.", "Choose where it leads."},
	"graph.unknown_entry": {
		"The flow starts with a step that is not there.",
		"Make one of its screens the first.",
	},
	"graph.duplicate_id": {
		"{it} cannot be told from another step.",
		"Duplicate it and delete the first one.",
	},

	"surface.provider_unspecified": {"Nobody shows {it}.", "Choose who shows it."},
	"surface.integration_disabled": {
		"{it} uses an integration that is switched off for this app.", "Switch it on in the settings of the app.",
	},
	"surface.payment_link_missing": {
		"{it} has no payment link.",
		"Write the link of the provider.",
	},
	"surface.no_fallback": {
		"{it} leads nowhere when it cannot be shown.",
		"Choose a fallback.",
	},
	"surface.duplicate_host_key": {
		"{it} has the same host key as another.",
		"Give it a key of its own.",
	},

	"canvas.disabled": {
		"{it} is of a kind that is switched off for this app.",
		"Delete it, or have it switched on.",
	},
	"plan.animations": {"The plan has no animations: they will not be served.", ""},
	"plan.translations": {
		"The plan has no translations: only the first language will be served.", "",
	},
	"plan.integrations": {
		"The plan has no paywalls and app screens of others.",
		"Remove them, or change the plan.",
	},
	"brand_gradient.unknown_preset": {
		"{it} uses a gradient that the branding does not have.",
		"Choose another.",
	},
	"media.unknown_asset": {
		"The flow shows a file that the media library does not have.",
		"Choose another file.",
	},
	"input.no_continue": {
		"The answer of {it} can't be given: no button continues.",
		"Add a button that continues.",
	},
	"layer.missing_color": {"{it} has no color.", "Choose one."},
	"layer.fill_in_hug": {
		"{it} fills what takes its own size from it.",
		"Give one of the two a size.",
	},
	"auth.duplicate": {
		"{it} is a second sign-in of the same kind.",
		"Delete one.",
	},
	"auth.two_kinds": {
		"{it} is a second way to sign in.",
		"Put it on a screen of its own.",
	},
	"auth.with_input": {
		"{it} signs in beside a question.",
		"Put the question on another screen.",
	},
	"screen.background_media": {
		"The background of {it} has no file.",
		"Choose a file or a color.",
	},
	"media.no_trigger": {
		"{it} is not played by anything.",
		"Let it play by itself, or choose the button that plays it.",
	},
	"media.trigger": {
		"The button that should play {it} does not.",
		"Choose a button of this screen that plays it.",
	},
	"play_media.target": {
		"{it} plays something that is not on the screen.",
		"Choose what it plays.",
	},
	"advance_carousel.target": {
		"{it} moves a carousel that is not on the screen.",
		"Choose a carousel.",
	},
	"advance_carousel.single_slide": {
		"{it} moves a carousel that has one slide only.",
		"Add a slide.",
	},
	"advance_carousel.never_last": {
		"{it} waits for the last slide of a carousel that never ends.",
		"Do not let it loop.",
	},
	"app_review.next": {
		"{it} asks for a review and then leads nowhere.",
		"Choose a next screen or decision.",
	},
	"button.banner_only": {
		"{it} does nothing in a flow: only a banner can be dismissed.",
		"Choose what it does.",
	},
	"template.unknown_field": {
		"{it} shows an answer that nothing asks for.",
		"Choose another answer.",
	},
	"template.same_screen_field": {
		"{it} shows an answer that is asked for on the same screen.",
		"Ask on a screen before.",
	},
	"template.field_not_on_every_path": {
		"{it} shows an answer that some paths do not ask for.",
		"Give it a default.",
	},
	"template.id_on_non_choice": {
		"{it} shows the key of an answer that has none.",
		"Show the answer itself.",
	},
	"image.no_description": {
		"{it} has no description.",
		"Say what it shows to those who can't see it, or mark it as decoration.",
	},
	"template.invalid_token": {
		"{it} has a placeholder that shows nothing.",
		"Choose an answer to show.",
	},
}

// measured has the codes whose sentence for programs has figures: it begins with message, in whose place is where the
// problem is.
var measured = map[string]words{
	"screen.dark_text": {
		"The screen", "Give the screen a background, or its texts a color for dark mode.",
	},
	"text.low_contrast": {"The text", "Choose a color that stands out more, or another background."},
	"text.fixed_price": {
		"The text", "Show an attribute that the app sets to the store's price, with this text as its default.",
	},
	"text.untranslated":   {"The text", "Users of that language see the default one."},
	"screen.untranslated": {"the screen", "Users of that language see the default one."},
	"flow.untranslated":   {"the flow", "Users of that language see the default one."},
	"screen.heavy_media": {
		"The screen", "More than 500 kB are slow to load on the move: make the files smaller, or show fewer of them.",
	},
	"parity.lottie_fill":     {"The layer", "Choose another fit, or a box with the proportions of the animation."},
	"parity.radial_gradient": {"The layer", "Check how it looks with that color alone, or choose a linear one."},
	"parity.web_permission":  {"The layer", "Check where the way “denied” leads."},
	"parity.no_permission":   {"The layer", "Choose another permission, or let the app ask for it."},
	"parity.app_review":      {"The layer", "Check where it leads."},
	"parity.uploaded_font":   {"The layer", "Link the font into such an app, or give its provider a font loader."},
	"touch.too_small":        {"The touch target", "Make it larger: 44 px is the least that fingers hit well."},
}
