package ingest

import (
	"strings"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/internal/codeunit"
)

// The kinds of flow_name.
const (
	KindStep     = NameKind(run.KindStep)
	KindField    = NameKind(run.KindField)
	KindOption   = NameKind(run.KindOption)
	KindDecision = NameKind(run.KindDecision)
	KindCase     = NameKind(run.KindCase)
	KindProvider = NameKind(run.KindProvider)
	KindOutcome  = NameKind(run.KindOutcome)
	KindProduct  = NameKind(run.KindProduct)
)

// The names of a flow hit, in the order of its name ids.
const (
	stepName = iota
	fromName
	subjectName
	valueName
)

// nameUnits bounds a name in UTF-16 code units, as a step id is bounded: what is
// longer is no id but (other).
const nameUnits = 256

var flowNames = nameTable{name: "flow_name", path: PathFlow, lock: 0x737666, // "svf"
	of: func(it *item) (names [maxNamesOfHit]hitName, n int) {
		e := it.flow
		name, _ := run.ParseName(e.Name)
		if !name.OfRun() {
			return names, 0
		}
		environment := it.environment
		names[stepName] = idName(environment, KindStep, e.StepID)
		if e.FromStepID != nil {
			names[fromName] = idName(environment, KindStep, *e.FromStepID)
		}
		of := propertiesOf[name]
		if len(e.Properties) == 0 || of.subject.property == "" {
			return names, maxNamesOfHit
		}
		subject, value := of.read(e.Properties)
		names[subjectName] = idName(environment, of.subject.kind, subject)
		if of.value.kind != 0 && of.isID(subject, value) {
			names[valueName] = idName(environment, of.value.kind, value)
		}
		return names, maxNamesOfHit
	}}

// idName returns the name of an id, or none when it is empty.
func idName(environment int64, kind NameKind, id string) hitName {
	switch {
	case id == "":
		return hitName{}
	case len(id) > nameUnits && codeunit.Count(id) > nameUnits:
		return hitName{environment, kind, OtherName}
	}
	return hitName{environment, kind, id}
}

// namedProperty is a property whose values are names.
type namedProperty struct {
	property string
	kind     NameKind
}

// namedProperties are the two properties of an event that reports count by.
type namedProperties struct{ subject, value namedProperty }

// propertiesOf follows the catalogue of wire.md §5.2.
var propertiesOf = [...]namedProperties{
	run.StepCompleted:     {subject: namedProperty{"field_key", KindField}},
	run.StepSkipped:       {subject: namedProperty{"field_key", KindField}},
	run.ChoiceSelected:    {namedProperty{"field_key", KindField}, namedProperty{"value", KindOption}},
	run.TextSubmitted:     {namedProperty{"field_key", KindField}, namedProperty{"value", KindOutcome}},
	run.DecisionEvaluated: {namedProperty{"decision_node_id", KindDecision}, namedProperty{"matched_case_id", KindCase}},
	run.SurfacePresented:  {subject: namedProperty{"provider", KindProvider}},
	run.SurfaceOutcome:    {namedProperty{"provider", KindProvider}, namedProperty{"outcome", KindOutcome}},
	run.Purchase:          {namedProperty{"provider", KindProvider}, namedProperty{"product_id", KindProduct}},
	run.BannerDismissed:   {},
}

// read returns the texts of the two properties; what is no text is empty.
func (p *namedProperties) read(properties []byte) (subject, value string) {
	eachMember(properties, func(key, raw []byte) bool {
		if raw[0] != '"' {
			return true
		}
		switch string(key[1 : len(key)-1]) {
		case p.subject.property:
			subject = jsonText(raw)
		case p.value.property:
			value = jsonText(raw)
		}
		return true
	})
	return subject, value
}

// outcomes are the values of permissions and reviews, which text_submitted carries
// besides what people typed.
var outcomes = map[string]string{
	"granted": "permission:", "denied": "permission:", "blocked": "permission:",
	"not_shown": "app_review:", "dismissed": "app_review:",
}

// isID tells whether the value is one of a known set, not free text.
func (p *namedProperties) isID(subject, value string) bool {
	if p.subject.kind != KindField || p.value.kind != KindOutcome {
		return true
	}
	prefix, known := outcomes[value]
	return known && strings.HasPrefix(subject, prefix)
}

// AddFlowNamesSQL gives names of flows in the environment $1 their ids, of the kinds $2 and with the texts $3, whatever
// is left of the day's budget. It runs in the transaction of LockFlowNamesSQL, after it.
const (
	LockFlowNamesSQL = `select pg_advisory_xact_lock(7566950, hashint8($1))` // 0x737666, as ingest does
	AddFlowNamesSQL  = `
		insert into flow_name (environment_id, id, kind, text, text_hash)
		select $1, last.id + row_number() over (order by fresh.kind, fresh.text), fresh.kind, fresh.text, fresh.hash
		from (
			select distinct kind, text, encode(substring(sha256(convert_to(text, 'UTF8')) for 16), 'hex')::uuid as hash
			from unnest($2::smallint[], $3::text[]) as wanted (kind, text)
		) fresh, (select coalesce(max(id), 0) as id from flow_name where environment_id = $1) last
		where last.id < 4000000 -- there is room
			and not exists (
				select from flow_name known
				where known.environment_id = $1 and known.kind = fresh.kind and known.text_hash = fresh.hash
			)`
)
