package manifest

import "strings"

// FieldInfo describes a field: a place that a run stores an answer in
// (manifest.md §8). Fields are declared by layers, there is no other table.
type FieldInfo struct {
	Key      string
	ScreenID string
	LayerID  string
	Kind     Kind
	// Sensitive answers must not be stored by the service.
	Sensitive bool
	Answer    AnswerType
}

// AnswerType is the type of a field's answer.
type AnswerType string

// The types of manifest.md §8.
const (
	AnswerOption     AnswerType = "option"  // an option id
	AnswerOptions    AnswerType = "options" // option ids
	AnswerString     AnswerType = "string"
	AnswerNumber     AnswerType = "number"
	AnswerBoolean    AnswerType = "boolean"
	AnswerDate       AnswerType = "date"
	AnswerPhone      AnswerType = "phone"
	AnswerAddress    AnswerType = "address"
	AnswerPermission AnswerType = "permission" // the outcome of a permission request
)

var answers = map[Kind]AnswerType{
	KindSingleChoice:   AnswerOption,
	KindMultipleChoice: AnswerOptions,
	KindTextInput:      AnswerString,
	KindScaleInput:     AnswerNumber,
	KindWheelPicker:    AnswerString,
	KindCheckbox:       AnswerBoolean,
	KindDateTimeInput:  AnswerDate,
	KindNumberStepper:  AnswerNumber,
	KindPhoneInput:     AnswerPhone,
	KindAddressInput:   AnswerAddress,
}

const permissionPrefix = "permission:"

// Fields lists the fields of inputs, checkboxes and permission buttons in
// document order. A permission that several buttons ask for is listed once.
func (m *Manifest) Fields() []FieldInfo {
	var out []FieldInfo
	asked := map[string]bool{}
	for _, p := range m.layers {
		info := FieldInfo{ScreenID: p.screen.ID, LayerID: p.ID, Kind: p.Kind}
		switch {
		case p.Kind.HasField():
			info.Key, info.Answer, info.Sensitive = p.FieldKey, answers[p.Kind], p.Classification == "sensitive"
		case p.asksPermission() && !asked[p.Action.PermissionKey]:
			asked[p.Action.PermissionKey] = true
			info.Key, info.Answer = permissionPrefix+p.Action.PermissionKey, AnswerPermission
		default:
			continue
		}
		out = append(out, info)
	}
	return out
}

func (l *Layer) asksPermission() bool {
	return l.Action != nil && l.Action.Kind == "request_os_permission"
}

// declarations maps every field key to the layers that declare it.
func (m *Manifest) declarations() map[string][]*placedLayer {
	out := map[string][]*placedLayer{}
	for _, p := range m.layers {
		switch {
		case p.Kind.HasField():
			out[p.FieldKey] = append(out[p.FieldKey], p)
		case p.asksPermission():
			key := permissionPrefix + p.Action.PermissionKey
			out[key] = append(out[key], p)
		}
	}
	return out
}

// reservedAttributes may be read without being listed in sdkAttributeKeys: the
// paywall presenters write them (wire.md §10.4).
var reservedAttributes = map[string]bool{
	"onb_rc_last_event":        true,
	"onb_rc_last_product_id":   true,
	"onb_rc_last_period_type":  true,
	"onb_rc_last_offering_id":  true,
	"onb_sw_last_event":        true,
	"onb_sw_last_product_id":   true,
	"onb_sw_last_placement_id": true,
}

func isPermissionField(key string) bool { return strings.HasPrefix(key, permissionPrefix) }
