package manifest

import "encoding/json"

// Kind is the kind of a layer.
type Kind string

// The 31 kinds of manifest.md §6–§8.
const (
	KindStack               Kind = "stack"
	KindText                Kind = "text"
	KindHyperlink           Kind = "hyperlink"
	KindImage               Kind = "image"
	KindLottie              Kind = "lottie"
	KindVideo               Kind = "video"
	KindIcon                Kind = "icon"
	KindProgress            Kind = "progress"
	KindLoader              Kind = "loader"
	KindCounter             Kind = "counter"
	KindCarousel            Kind = "carousel"
	KindConditional         Kind = "conditional"
	KindButton              Kind = "button"
	KindBackButton          Kind = "back_button"
	KindSingleChoice        Kind = "single_choice"
	KindMultipleChoice      Kind = "multiple_choice"
	KindCheckbox            Kind = "checkbox"
	KindTextInput           Kind = "text_input"
	KindScaleInput          Kind = "scale_input"
	KindWheelPicker         Kind = "wheel_picker"
	KindDateTimeInput       Kind = "date_time_input"
	KindNumberStepper       Kind = "number_stepper"
	KindNumberStepperButton Kind = "number_stepper_button"
	KindNumberStepperValue  Kind = "number_stepper_value"
	KindPhoneInput          Kind = "phone_input"
	KindAddressInput        Kind = "address_input"
	KindOauthLogin          Kind = "oauth_login"
	KindOauthProvider       Kind = "oauth_provider"
	KindEmailPasswordAuth   Kind = "email_password_auth"
	KindEmailPasswordField  Kind = "email_password_field"
	KindEmailPasswordSubmit Kind = "email_password_submit"
)

// IsInput reports whether a layer of this kind takes the screen's answer. A
// checkbox has a field of its own but is not an input (manifest.md §8).
func (k Kind) IsInput() bool {
	switch k {
	case KindSingleChoice, KindMultipleChoice, KindTextInput, KindScaleInput, KindWheelPicker,
		KindDateTimeInput, KindNumberStepper, KindPhoneInput, KindAddressInput:
		return true
	}
	return false
}

// IsManualSubmit reports whether an input of this kind waits for a continue
// button.
func (k Kind) IsManualSubmit() bool { return k.IsInput() && k != KindSingleChoice }

// HasField reports whether a layer of this kind declares a field.
func (k Kind) HasField() bool { return k.IsInput() || k == KindCheckbox }

func (k Kind) isChoice() bool { return k == KindSingleChoice || k == KindMultipleChoice }

func (k Kind) isMedia() bool { return k == KindLottie || k == KindVideo }

// Layer is one node of a screen's tree. Kind says which of the members it has;
// the others are zero. schema.json has the full list by kind.
type Layer struct {
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	Name string `json:"name"`

	Children []*Layer `json:"children"`
	Slides   []*Layer `json:"slides"` // carousel

	Style                    *Style            `json:"style"`
	StyleBreakpoints         map[string]*Style `json:"styleBreakpoints"`
	SelectedStyle            *Style            `json:"selectedStyle"`
	SelectedStyleBreakpoints map[string]*Style `json:"selectedStyleBreakpoints"`

	// Variant is that of a loader (linear, circular), a button (primary, …) or
	// an oauth_provider (preset, custom).
	Variant string `json:"variant"`
	// Mode is that of a wheel_picker, date_time_input or email_password_auth.
	Mode string `json:"mode"`
	// ButtonVariant is the look of what is a button but no button layer.
	ButtonVariant string `json:"buttonVariant"`

	Player                          // image, lottie, video; a loader's OnComplete
	Text             *Text          `json:"text"`
	Label            *Text          `json:"label"` // preset oauth_provider
	Alt              *string        `json:"alt"`   // image; "" for one that decorates
	Href             string         `json:"href"`  // hyperlink
	Cases            []*LayerCase   `json:"cases"` // conditional
	ElseRootLayerID  string         `json:"elseRootLayerId"`
	OpenOn           int            `json:"openOn"`           // carousel
	Action           *Action        `json:"action"`           // button
	FallbackScreenID string         `json:"fallbackScreenId"` // back_button
	Role             string         `json:"role"`             // number_stepper_button
	Slot             string         `json:"slot"`             // email_password_field
	Brand            string         `json:"provider"`         // preset oauth_provider
	Rules            *PasswordRules `json:"passwordRules"`

	Field
	Choice
}

// Field is what layers that take an answer have.
type Field struct {
	FieldKey       string `json:"fieldKey"`
	Classification string `json:"classification"`

	// Bounds and default: numbers for scale_input and number_stepper, texts for
	// date_time_input and (default only) wheel_picker.
	Min     Scalar  `json:"min"`
	Max     Scalar  `json:"max"`
	Default Scalar  `json:"defaultValue"`
	Step    float64 `json:"step"`

	MinLength *int `json:"minLength"` // text_input
	MaxLength *int `json:"maxLength"`

	Options []WheelOption `json:"options"` // wheel_picker
	MinYear *int          `json:"minYear"`
	MaxYear *int          `json:"maxYear"`
}

// Choice is what single_choice and multiple_choice have.
type Choice struct {
	Bindings  []OptionBinding `json:"optionBindings"`
	Branching struct {
		Enabled    bool `json:"enabled"`
		Conditions []struct {
			ChoiceID string `json:"choiceId"`
			GoTo     string `json:"goTo"`
		} `json:"conditions"`
	} `json:"branching"`
	DefaultOptionID string `json:"defaultOptionId"` // single_choice
	MinSelections   *int   `json:"minSelections"`
	MaxSelections   *int   `json:"maxSelections"`
}

// OptionBinding ties an option to the child that draws it.
type OptionBinding struct {
	OptionID    string `json:"optionId"`
	RootLayerID string `json:"rootLayerId"`
}

// WheelOption is one row of a wheel_picker.
type WheelOption struct {
	OptionID string `json:"optionId"`
	Label    Text   `json:"label"`
}

// LayerCase is one case of a conditional layer.
type LayerCase struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Expression  *Expression `json:"expression"`
	RootLayerID string      `json:"rootLayerId"`
}

// PasswordRules are the limits of an email_password_auth.
type PasswordRules struct {
	MinLength *int `json:"minLength"`
	MaxLength *int `json:"maxLength"`
}

// Action is what a button does (manifest.md §7.3); Kind says which of the
// members it has.
type Action struct {
	Kind             string            `json:"kind"`
	ScreenID         string            `json:"screenId"`         // go_to_step
	FallbackScreenID string            `json:"fallbackScreenId"` // go_back_one_screen
	PermissionKey    string            `json:"permissionKey"`
	Outcomes         map[string]string `json:"outcomes"`
	TargetLayerIDs   []string          `json:"targetLayerIds"` // play_media
	TargetLayerID    string            `json:"targetLayerId"`  // advance_carousel
	OnLast           string            `json:"onLast"`
}

// breakpoints are the names of the screen widths that styles may change at, in
// the order in which their patches apply (manifest.md §3.5).
var breakpoints = []string{"sm", "md", "lg", "xl", "2xl"}

// Style holds the members of all style objects that rules look at.
type Style struct {
	Position          string          `json:"position"`
	Width             Scalar          `json:"width"`
	Height            Scalar          `json:"height"`
	MinWidth          *float64        `json:"minWidth"`
	MaxWidth          *float64        `json:"maxWidth"`
	MinHeight         *float64        `json:"minHeight"`
	MaxHeight         *float64        `json:"maxHeight"`
	Color             json.RawMessage `json:"color"`
	Background        json.RawMessage `json:"background"`
	Opacity           *float64        `json:"opacity"`
	BackgroundOpacity *float64        `json:"backgroundOpacity"`
	FontSize          *float64        `json:"fontSize"`
	FontWeight        *float64        `json:"fontWeight"`
	FontFamily        string          `json:"fontFamily"`
	Fit               string          `json:"fit"`
}

// Scalar is a JSON string or number; the zero value is neither.
type Scalar struct{ value any }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scalar) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &s.value) }

// Number returns the number, if it is one.
func (s Scalar) Number() (float64, bool) {
	n, ok := s.value.(float64)
	return n, ok
}

// Text returns the string, "" if it is none.
func (s Scalar) Text() string {
	text, _ := s.value.(string)
	return text
}

// IsSet reports whether the member is there.
func (s Scalar) IsSet() bool { return s.value != nil }
