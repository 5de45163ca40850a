package served

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/privacy"
)

//go:embed note.sql
var noteSQL string

// store writes pages in one transaction and returns how many people each has then. Pages are locked in one order, so
// that servers can't block each other.
func store(
	ctx context.Context, pool *pgxpool.Pool, pages map[page]*entries, peoplePerDay int,
) (map[page]int64, error) {
	order := slices.SortedFunc(maps.Keys(pages), func(a, b page) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), cmp.Compare(a.day, b.day))
	})
	noted := map[page]int64{}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		for _, p := range order {
			people, err := storePage(ctx, tx, p, pages[p], peoplePerDay)
			if err != nil {
				return err
			}
			noted[p] = people
		}
		return nil
	})
	return noted, err
}

func storePage(ctx context.Context, tx pgx.Tx, p page, of *entries, peoplePerDay int) (people int64, err error) {
	day := dateOf(p.day)
	if _, err := tx.Exec(ctx, `insert into experiment_served_count (environment_id, day) values ($1, $2)
		on conflict do nothing`, p.environment, day); err != nil {
		return 0, err
	}
	// Whoever has the row is alone with the environment's day: the bound holds for all servers together.
	if err := tx.QueryRow(ctx, `select people from experiment_served_count where environment_id = $1 and day = $2
		for update`, p.environment, day).Scan(&people); err != nil {
		return 0, err
	}
	leftOut, before := of.leftOut, people
	for rest := of.people; len(rest) > 0; {
		n := min(len(rest), max(0, peoplePerDay-int(people)))
		if n == 0 {
			leftOut += int64(len(rest))
			break
		}
		inserted, err := insert(ctx, tx, p.environment, arraysOf(p.day, rest[:n]))
		if err != nil {
			return 0, err
		}
		people, rest = people+inserted, rest[n:] // who was there already left their room to others
	}
	if people == before && leftOut == 0 {
		return people, nil
	}
	_, err = tx.Exec(ctx, `update experiment_served_count set people = $3, left_out = left_out + $4
		where environment_id = $1 and day = $2`, p.environment, day, people, leftOut)
	return people, err
}

// armDay is an arm of an experiment on a day.
type armDay struct {
	experiment uuid.UUID
	arm        int16
	day        int32
}

// arraysOf returns the people of a day by arm.
func arraysOf(day int32, people []entry) map[armDay][]byte {
	arrays := map[armDay][]byte{}
	for i := range people {
		one := &people[i]
		key := armDay{one.experiment, one.arm, day}
		if arrays[key] == nil {
			arrays[key] = make([]byte, arrayHeader, arrayHeader+len(people)*arrayElement)
		}
		arrays[key] = appendPerson(arrays[key], one.person)
	}
	return arrays
}

// insert adds rows of the people who have none yet and returns how many those are. Arrays are those of [appendPerson].
func insert(ctx context.Context, tx pgx.Tx, environmentID int64, arrays map[armDay][]byte) (rows int64, err error) {
	for key, array := range arrays {
		// An array of many ids by the driver's own encoding costs as much as all the rest that this process does.
		writeHeader(array)
		result := tx.Conn().PgConn().ExecParams(ctx, noteSQL, [][]byte{
			[]byte(strconv.FormatInt(environmentID, 10)), key.experiment[:], []byte(dateOf(key.day).Format(time.DateOnly)),
			[]byte(strconv.Itoa(int(key.arm))), array,
		}, []uint32{pgtype.Int8OID, pgtype.UUIDOID, pgtype.DateOID, pgtype.Int2OID, pgtype.UUIDArrayOID},
			[]int16{pgx.TextFormatCode, pgx.BinaryFormatCode, pgx.TextFormatCode, pgx.TextFormatCode, pgx.BinaryFormatCode},
			nil).Read()
		if result.Err != nil {
			return 0, result.Err
		}
		rows += result.CommandTag.RowsAffected()
	}
	return rows, nil
}

// dateOf returns the beginning of a day.
func dateOf(day int32) time.Time { return time.Unix(int64(day)*24*60*60, 0).UTC() }

// The binary form of an array of one dimension: the number of dimensions, whether it has nulls, the type of its
// elements, how many they are and the index of the first, in 4 bytes each; then of each element the length and bytes.
const (
	arrayHeader  = 5 * 4
	arrayElement = 4 + 16
)

// appendPerson appends an element to an array of uuid, which begins with room for its header.
func appendPerson(array []byte, person uuid.UUID) []byte {
	return append(binary.BigEndian.AppendUint32(array, uint32(len(person))), person[:]...)
}

// writeHeader fills in the header of an array of uuid.
func writeHeader(array []byte) {
	n := (len(array) - arrayHeader) / arrayElement
	for i, word := range [...]uint32{1, 0, pgtype.UUIDOID, uint32(n), 1} {
		binary.BigEndian.PutUint32(array[4*i:], word)
	}
}
