package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/cmd/svc/demo/flows"
	"github.com/svc-dev/svc/ent"
)

const (
	// longOnboarding is the first version of the onboarding, which asked two things more.
	longOnboarding = "onboarding-long"
	// shorterDays is how many days of the history have the second version on the channel of the onboarding.
	shorterDays = 4
)

// questions are what the first version of the onboarding asked after the name, each on a screen that is like it.
var questions = []struct {
	key   string
	texts [3][3]string // title, what stands below it and placeholder: English, German, Arabic
}{
	{"city", [3][3]string{
		{"Where do your plants live?", "Wo wohnen deine Pflanzen?", "أين تعيش نباتاتك؟"},
		{
			"The weather there decides how much they drink.", "Das Wetter dort bestimmt, wie viel sie trinken.",
			"الطقس هناك يحدد كم تشرب.",
		},
		{"City", "Stadt", "المدينة"},
	}},
	{"street", [3][3]string{
		{"And in which street?", "Und in welcher Straße?", "وفي أي شارع؟"},
		{"It tells us how much sun you get.", "Das sagt uns, wie viel Sonne du hast.", "هذا يخبرنا بكمية الشمس لديك."},
		{"Street", "Straße", "الشارع"},
	}},
}

// askMore puts the questions of the first version behind that for the name.
func askMore(manifest map[string]any) error {
	screens := manifest["screens"].([]any)
	at := slices.IndexFunc(screens, func(s any) bool { return s.(map[string]any)["id"] == "scr_name" })
	if at < 0 {
		return fmt.Errorf("the onboarding has no screen for the name")
	}
	name, err := json.Marshal(screens[at])
	if err != nil {
		return err
	}
	before := screens[at].(map[string]any)
	for i, q := range questions {
		text := strings.NewReplacer("scr_name", "scr_"+q.key, "lyr_name_", "lyr_"+q.key+"_").Replace(string(name))
		var screen map[string]any
		if err := json.Unmarshal([]byte(text), &screen); err != nil {
			return err
		}
		screen["name"] = q.texts[2][0]
		eachChildren(screen, func(_ map[string]any, children []any) {
			for _, child := range children {
				layer := child.(map[string]any)
				switch layer["id"] {
				case "lyr_" + q.key + "_title":
					layer["text"] = translated(q.texts[0])
				case "lyr_" + q.key + "_sub":
					layer["text"] = translated(q.texts[1])
				case "lyr_" + q.key + "_field":
					layer["fieldKey"], layer["placeholder"] = q.key, translated(q.texts[2])
				}
			}
		})
		before["next"] = map[string]any{"default": screen["id"]}
		screens = slices.Insert(screens, at+1+i, any(screen))
		before = screen
	}
	manifest["screens"] = screens
	return nil
}

func translated(texts [3]string) map[string]any {
	return map[string]any{"default": texts[0], "translations": map[string]any{"de": texts[1], "ar": texts[2]}}
}

// publishOnboarding publishes the onboarding as it was first, and then as it is, as if that had been done before the
// history began.
func (s *Seeder) publishOnboarding(
	ctx context.Context, app *ent.App, art *strings.Replacer, versions map[string]uuid.UUID, began time.Time,
) error {
	raw, err := flows.Manifest("onboarding")
	if err != nil {
		return err
	}
	short := art.Replace(string(raw))
	var manifest map[string]any
	if err := json.Unmarshal([]byte(short), &manifest); err != nil {
		return err
	}
	if err := askMore(manifest); err != nil {
		return err
	}
	long, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	flow, err := s.Studio.CreateFlow(ctx, app.ID, flowNames["onboarding"], long)
	if err != nil {
		return err
	}
	first, err := s.Studio.Publish(ctx, flow.ID, "First")
	if err != nil {
		return err
	}
	if _, err := s.Studio.SaveDraft(ctx, flow.ID, flow.DraftRevision, json.RawMessage(short)); err != nil {
		return err
	}
	second, err := s.Studio.Publish(ctx, flow.ID, "Two questions fewer")
	if err != nil {
		return err
	}
	versions[longOnboarding], versions["onboarding"] = first.Version.ID, second.Version.ID
	for version, at := range map[uuid.UUID]time.Time{
		first.Version.ID: began.AddDate(0, 0, -1), second.Version.ID: began,
	} {
		if err := s.date(ctx, at, `update flow_versions set created_at = $1 where id = $2`, version); err != nil {
			return err
		}
		if err := s.date(ctx, at, `update audit_entries set created_at = $1 where action = 'flow.publish' and subject = $2
			and detail->>'version' = $3`, flow.ID.String(), version.String()); err != nil {
			return err
		}
	}
	at := began.AddDate(0, 0, -1)
	return s.date(ctx, at, `update audit_entries set created_at = $1 where subject = $2 and action <> 'flow.publish'`,
		flow.ID.String())
}

// date gives what was stored by now the time at which it happened in the story.
func (s *Seeder) date(ctx context.Context, at time.Time, sql string, of ...any) error {
	if _, err := s.DB.Pool.Exec(ctx, sql, append([]any{at}, of...)...); err != nil {
		return fmt.Errorf("date what the demo app did: %w", err)
	}
	return nil
}

// pinAt pins a version to a channel as if that had been done at a time.
func (s *Seeder) pinAt(ctx context.Context, channel *ent.Channel, version uuid.UUID, at time.Time) error {
	pinned, err := s.Studio.Pin(ctx, channel.PublicID, version)
	if err != nil {
		return err
	}
	if err := s.date(ctx, at, `update assignments set created_at = $1 where channel_id = $2 and assignment_version = $3`,
		channel.ID, pinned.Channel.AssignmentVersion); err != nil {
		return err
	}
	return s.date(ctx, at, `update audit_entries set created_at = $1 where action = 'channel.pin' and subject = $2
		and detail->>'version' = $3`, channel.PublicID, version.String())
}

// shorter returns when the channel of the onboarding gets its second version.
func (h History) shorter() time.Time {
	return h.Until.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-min(shorterDays, max(h.Days-1, 0)))
}
