package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// textCase is an event with one wrong text, and the reject that it gets.
type textCase[E any] struct {
	change        func(*E)
	code, message string
}

func TestTextsOfProductEvents(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, step := range map[string]textCase[ProductEvent]{
		"right":           {func(*ProductEvent) {}, "", ""},
		"no eventId":      {func(e *ProductEvent) { e.EventID = "" }, CodeEventIDRequired, "eventId is required"},
		"longest eventId": {func(e *ProductEvent) { e.EventID = long(200) }, "", ""},
		"long eventId": {func(e *ProductEvent) { e.EventID = long(201) },
			CodeEventIDTooLong, "eventId is longer than 200 UTF-16 code units"},
		"eventId with NUL": {func(e *ProductEvent) { e.EventID = "a\x00" },
			CodeEventIDInvalid, "eventId holds a NUL character"},
		"no name":      {func(e *ProductEvent) { e.Name = "" }, CodeNameRequired, "name is required"},
		"longest name": {func(e *ProductEvent) { e.Name = strings.Repeat("😀", 60) }, "", ""},
		"long name": {func(e *ProductEvent) { e.Name = strings.Repeat("😀", 60) + "a" }, CodeNameTooLong,
			"name is longer than 120 UTF-16 code units"},
		"name with a line break": {func(e *ProductEvent) { e.Name = "a\nb" },
			CodeNameInvalid, "name holds a control character"},
		"name with C1": {func(e *ProductEvent) { e.Name = "a\u0085b" },
			CodeNameInvalid, "name holds a control character"},
		"no user": {func(e *ProductEvent) { e.AppUserID = "" },
			CodeAppUserIDRequired, "identity.appUserId is required"},
		"longest user": {func(e *ProductEvent) { e.AppUserID = long(256) }, "", ""},
		"long user": {func(e *ProductEvent) { e.AppUserID = long(257) },
			CodeAppUserIDTooLong, "identity.appUserId is longer than 256 UTF-16 code units"},
		"user with NUL": {func(e *ProductEvent) { e.AppUserID = "\x00" },
			CodeAppUserIDInvalid, "identity.appUserId holds a NUL character"},
		"long custom user": {func(e *ProductEvent) { e.CustomUserID = long(257) },
			CodeCustomUserIDTooLong, "identity.customUserId is longer than 256 UTF-16 code units"},
		"custom user with NUL": {func(e *ProductEvent) { e.CustomUserID = "\x00" },
			CodeCustomUserIDInvalid, "identity.customUserId holds a NUL character"},
		"long session": {func(e *ProductEvent) { e.SessionID = long(257) },
			CodeSessionIDTooLong, "identity.sessionId is longer than 256 UTF-16 code units"},
		"session with NUL": {func(e *ProductEvent) { e.SessionID = "\x00" },
			CodeSessionIDInvalid, "identity.sessionId holds a NUL character"},
		"longest page": {func(e *ProductEvent) { e.Page = strings.Repeat("é", 2048) }, "", ""},
		"long page": {func(e *ProductEvent) { e.Page = long(2049) },
			CodeScreenNameTooLong, "screenName is longer than 2048 UTF-16 code units"},
		"page with NUL": {func(e *ProductEvent) { e.Page = "/\x00" },
			CodeScreenNameInvalid, "screenName holds a NUL character"},
		"platform": {func(e *ProductEvent) { e.Platform = "tv" },
			CodeContextInvalid, "context.platform must be one of web, ios, android"},
		"no platform":     {func(e *ProductEvent) { e.Platform = "" }, "", ""},
		"longest browser": {func(e *ProductEvent) { e.Browser = long(80) }, "", ""},
		"long browser": {func(e *ProductEvent) { e.Browser = long(81) },
			CodeContextInvalid, "context.browser is longer than 80 UTF-16 code units"},
		"browser with NUL": {func(e *ProductEvent) { e.Browser = "\x00" },
			CodeContextInvalid, "context.browser holds a NUL character"},
		"long os": {func(e *ProductEvent) { e.OS = long(81) },
			CodeContextInvalid, "context.os is longer than 80 UTF-16 code units"},
		"os with NUL": {func(e *ProductEvent) { e.OS = "\x00" },
			CodeContextInvalid, "context.os holds a NUL character"},
		"long device": {func(e *ProductEvent) { e.Device = long(81) },
			CodeContextInvalid, "context.device is longer than 80 UTF-16 code units"},
		"device with NUL": {func(e *ProductEvent) { e.Device = "\x00" },
			CodeContextInvalid, "context.device holds a NUL character"},
		"app version with NUL": {func(e *ProductEvent) { e.AppVersion = "\x00" },
			CodeContextInvalid, "context.appVersion holds a NUL character"},
		"locale with NUL": {func(e *ProductEvent) { e.Locale = "\x00" },
			CodeContextInvalid, "context.locale holds a NUL character"},
		"the first of several": {func(e *ProductEvent) { e.Name, e.AppUserID, e.Platform = "", "", "tv" },
			CodeNameRequired, "name is required"},
	} {
		event := ProductEvent{EventID: "e", Name: "opened", AppUserID: "u", Platform: "web"}
		step.change(&event)
		requireReject(t, name, step.code, step.message, event.checkTexts())
	}
}

func TestTextsOfFlowEvents(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	long := strings.Repeat("a", 257)
	for name, step := range map[string]textCase[FlowEvent]{
		"right":           {func(*FlowEvent) {}, "", ""},
		"no eventId":      {func(e *FlowEvent) { e.EventID = "" }, CodeEventIDRequired, "eventId is required"},
		"no name":         {func(e *FlowEvent) { e.Name = "" }, CodeNameRequired, "name is required"},
		"longest variant": {func(e *FlowEvent) { e.VariantID = long[1:] }, "", ""},
		"long variant": {func(e *FlowEvent) { e.VariantID = long },
			CodeVariantIDInvalid, "variantId is longer than 256 UTF-16 code units"},
		"variant with NUL": {func(e *FlowEvent) { e.VariantID = "\x00" },
			CodeVariantIDInvalid, "variantId holds a NUL character"},
		"long step": {func(e *FlowEvent) { e.StepID = long },
			CodeStepIDInvalid, "stepId is longer than 256 UTF-16 code units"},
		"step with NUL": {func(e *FlowEvent) { e.StepID = "\x00" },
			CodeStepIDInvalid, "stepId holds a NUL character"},
		"no user": {func(e *FlowEvent) { e.AppUserID = "" },
			CodeAppUserIDRequired, "identity.appUserId is required"},
		"long user": {func(e *FlowEvent) { e.AppUserID = long },
			CodeAppUserIDTooLong, "identity.appUserId is longer than 256 UTF-16 code units"},
		"long custom user": {func(e *FlowEvent) { e.CustomUserID = long },
			CodeCustomUserIDTooLong, "identity.customUserId is longer than 256 UTF-16 code units"},
		"long session": {func(e *FlowEvent) { e.SessionID = long },
			CodeSessionIDTooLong, "identity.sessionId is longer than 256 UTF-16 code units"},
		"platform": {func(e *FlowEvent) { e.Platform = "tv" },
			CodeContextInvalid, "context.platform must be one of web, ios, android"},
		"long device": {func(e *FlowEvent) { e.Device = long },
			CodeContextInvalid, "context.device is longer than 80 UTF-16 code units"},
		"classification": {func(e *FlowEvent) { e.Classification = "secret" },
			CodeClassificationInvalid, "fieldClassification must be one of safe, sensitive"},
		"sensitive":      {func(e *FlowEvent) { e.Classification = "sensitive" }, "", ""},
		"no step before": {func(e *FlowEvent) { e.FromStepID = text("") }, "", ""},
		"long step before": {func(e *FlowEvent) { e.FromStepID = text(long) },
			CodeFromStepIDInvalid, "fromStepId is longer than 256 UTF-16 code units"},
		"step with NUL from": {func(e *FlowEvent) { e.FromStepID = text("\x00") },
			CodeFromStepIDInvalid, "fromStepId holds a NUL character"},
	} {
		event := FlowEvent{EventID: "e", Name: "flow_started", AppUserID: "u"}
		step.change(&event)
		requireReject(t, name, step.code, step.message, event.checkTexts())
	}
}

func TestPlacesOfHistory(t *testing.T) {
	t.Parallel()
	degrees := func(x float64) *float64 { return &x }
	for name, step := range map[string]struct {
		place HistoryPlace
		wrong string
	}{
		"none": {HistoryPlace{}, ""},
		"whole": {HistoryPlace{Country: "DE", Region: "Bavaria", City: "München",
			Latitude: degrees(48.1), Longitude: degrees(11.6)}, ""},
		"on the edges":     {HistoryPlace{Latitude: degrees(-90), Longitude: degrees(180)}, ""},
		"in the Gulf":      {HistoryPlace{Latitude: degrees(0), Longitude: degrees(0)}, ""},
		"small letters":    {HistoryPlace{Country: "de"}, "country"},
		"three letters":    {HistoryPlace{Country: "DEU"}, "country"},
		"other letters":    {HistoryPlace{Country: "ÄÖ"}, "country"},
		"a digit":          {HistoryPlace{Country: "D3"}, "country"},
		"long region":      {HistoryPlace{Region: strings.Repeat("é", 81)}, "region"},
		"city with NUL":    {HistoryPlace{City: "\x00"}, "city"},
		"only a longitude": {HistoryPlace{Longitude: degrees(1)}, "latitude"},
		"only a latitude":  {HistoryPlace{Latitude: degrees(1)}, "longitude"},
		"beyond the pole":  {HistoryPlace{Latitude: degrees(90.01), Longitude: degrees(0)}, "latitude"},
		"beyond the date":  {HistoryPlace{Latitude: degrees(0), Longitude: degrees(-180.01)}, "longitude"},
	} {
		code, message := "", ""
		if step.wrong != "" {
			code, message = CodePlaceInvalid, "place."+step.wrong+" is not valid"
		}
		requireReject(t, name, code, message, step.place.check())
	}
}

func requireReject(t *testing.T, name, code, message string, reject *Reject) {
	t.Helper()
	if code == "" {
		require.Nil(t, reject, name)
		return
	}
	require.Equal(t, &Reject{Code: code, Message: message}, reject, name)
}
