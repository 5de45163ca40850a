package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/flowevent"
	"github.com/svc-dev/svc/ent/productevent"
	"github.com/svc-dev/svc/ent/trackevent"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// entTables are the tables of ent/schema, of which no code is generated.
var entTables = sync.OnceValues(func() ([]*schema.Table, error) {
	storage, err := gen.NewStorage("sql")
	if err != nil {
		return nil, err
	}
	graph, err := entc.LoadGraph("../ent/schema", &gen.Config{Storage: storage})
	if err != nil {
		return nil, err
	}
	return graph.Tables()
})

// pendingChanges returns what ent would do to the database to make it match ent/schema.
func pendingChanges(t *testing.T, db *postgres.DB) string {
	t.Helper()
	tables, err := entTables()
	if err != nil {
		t.Fatal(err)
	}
	var script bytes.Buffer
	migrate, err := schema.NewMigrate(
		&schema.WriteDriver{Writer: &script, Driver: entsql.OpenDB(dialect.Postgres, stdlib.OpenDBFromPool(db.Pool))},
		schema.WithDropColumn(true), schema.WithDropIndex(true),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate.Create(t.Context(), tables...); err != nil {
		t.Fatal(err)
	}
	var statements []string
	for line := range strings.Lines(script.String()) {
		line = strings.TrimSpace(line)
		if line != "" && line != "BEGIN;" && line != "COMMIT;" && !strings.HasPrefix(line, "--") {
			statements = append(statements, line)
		}
	}
	return strings.Join(statements, "\n")
}

func TestEntSchemaMatchesMigratedDatabase(t *testing.T) {
	if changes := pendingChanges(t, pgtest.New(t)); changes != "" {
		t.Errorf("ent/schema and the migrations differ; ent would run:\n%s", changes)
	}
}

// The test above proves something only if ent notices each kind of difference.
func TestSchemaDifferenceIsNoticed(t *testing.T) {
	for _, change := range []string{
		"alter table apps add column surplus text",
		"alter table apps drop column name",
		"alter table apps alter column name drop not null",
		"alter table channels alter column assignment_version type int",
		"create index surplus on apps (name)",
		"drop index channel_environment_id",
		"alter table channels drop constraint channels_environments_channels",
	} {
		t.Run(change, func(t *testing.T) {
			db := pgtest.New(t)
			if _, err := db.Pool.Exec(context.Background(), change); err != nil {
				t.Fatal(err)
			}
			if pendingChanges(t, db) == "" {
				t.Error("the difference was not noticed")
			}
		})
	}
}

func TestEventEntitiesMatchViews(t *testing.T) {
	db := pgtest.New(t)
	exec(t, db, `
		insert into product_event (environment_id, occurred_at, received_at, event_key)
		values (1, now(), now(), gen_random_uuid());
		insert into track_event (environment_id, occurred_at, received_at, event_key)
		values (1, now(), now(), gen_random_uuid());
		insert into flow_event (environment_id, occurred_at, received_at, event_key, channel_id, flow_id, version_id)
		values (1, now(), now(), gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid())`)
	for view, entity := range map[string]struct {
		columns []string
		row     any
	}{
		productevent.Table: {productevent.Columns, ent.ProductEvent{}},
		flowevent.Table:    {flowevent.Columns, ent.FlowEvent{}},
		trackevent.Table:   {trackevent.Columns, ent.TrackEvent{}},
	} {
		t.Run(view, func(t *testing.T) {
			got := viewColumns(t, db, view)
			want := entityColumns(t, entity.columns, reflect.TypeOf(entity.row))
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("view:\n%s\nentity:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// viewColumns describes the columns of a view that holds one event of which nothing is known: what is null of it may
// be.
func viewColumns(t *testing.T, db *postgres.DB, view string) []string {
	t.Helper()
	nullable := map[string]bool{}
	for _, column := range query[string](
		t, db, `select key from `+view+` v, json_each_text(row_to_json(v)) where value is null`,
	) {
		nullable[column] = true
	}
	columns := query[string](t, db, `
		select column_name || ' ' || data_type from information_schema.columns
		where table_schema = 'public' and table_name = $1`, view)
	for i, column := range columns {
		name, dataType, _ := strings.Cut(column, " ")
		columns[i] = describe(name, dataType, nullable[name])
	}
	sort.Strings(columns)
	return columns
}

func describe(name, dataType string, nullable bool) string {
	if nullable {
		dataType += " null"
	}
	return name + " " + dataType
}

// entityColumns describes the generated struct's fields in the words of information_schema.
func entityColumns(t *testing.T, names []string, row reflect.Type) []string {
	t.Helper()
	types := map[reflect.Type]string{
		reflect.TypeFor[string]():          "text",
		reflect.TypeFor[int64]():           "bigint",
		reflect.TypeFor[int]():             "integer",
		reflect.TypeFor[bool]():            "boolean",
		reflect.TypeFor[float32]():         "real",
		reflect.TypeFor[time.Time]():       "timestamp with time zone",
		reflect.TypeFor[uuid.UUID]():       "uuid",
		reflect.TypeFor[json.RawMessage](): "jsonb",
	}
	byColumn := map[string]reflect.StructField{}
	for i := range row.NumField() {
		field := row.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		byColumn[name] = field
	}
	var columns []string
	for _, name := range names {
		field, found := byColumn[name]
		if !found {
			t.Fatalf("the entity has no field for its column %s", name)
		}
		fieldType, nullable := field.Type, false
		if fieldType.Kind() == reflect.Pointer {
			fieldType, nullable = fieldType.Elem(), true
		}
		dataType, known := types[fieldType]
		if !known {
			t.Fatalf("no column type is known for the Go type %s of %s", fieldType, name)
		}
		columns = append(columns, describe(name, dataType, nullable || dataType == "jsonb"))
	}
	sort.Strings(columns)
	return columns
}

func TestEventsAreReadThroughEnt(t *testing.T) {
	ctx := context.Background()
	db := pgtest.New(t)
	key := uuid.New()
	at := time.Now().UTC().Truncate(time.Microsecond)
	_, err := db.Pool.Exec(ctx, `
		insert into product_event (environment_id, occurred_at, event_id, event_key, received_at, name, app_user_id,
		latitude, organic, properties)
		values (7, $1, 'e1', $2, $1, 'page_view', 'u1', 52.5, true, '{"plan": "pro"}')`, at, key)
	if err != nil {
		t.Fatal(err)
	}
	event, err := db.Ent().ProductEvent.Query().Where(
		productevent.EnvironmentID(7), productevent.AppUserID("u1"),
	).Only(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(
		event.EventKey, event.EventID, event.OccurredAt.UTC().Equal(at), event.Name, *event.Latitude, *event.Organic,
		event.Longitude, string(event.Properties), event.Source,
	)
	want := fmt.Sprint(key, "e1", true, "page_view", float32(52.5), true, (*float32)(nil), `{"plan": "pro"}`, "")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
