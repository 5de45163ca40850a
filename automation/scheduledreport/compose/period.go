package compose

import "time"

// Frequency is how often a report comes.
type Frequency string

// The frequencies.
const (
	Weekly  Frequency = "weekly"  // on Mondays, about the week before
	Monthly Frequency = "monthly" // on the first of a month, about the month before
)

// sendHour is when reports come, in the reader's time zone.
const sendHour = 8

// Period is what a report is about, beside the one before it: calendar weeks or months of the reader's time zone. Start
// is included and End is not.
type Period struct {
	PreviousStart, Start, End time.Time
}

// LastPeriod returns the latest period that had ended by a time.
func LastPeriod(f Frequency, zone *time.Location, now time.Time) Period {
	end := begin(f, now.In(zone))
	start := step(f, end, -1)
	return Period{PreviousStart: step(f, start, -1), Start: start, End: end}
}

// NextSend returns when the first report after a time comes.
func NextSend(f Frequency, zone *time.Location, after time.Time) time.Time {
	period := begin(f, after.In(zone))
	for {
		if at := atHour(period); at.After(after) {
			return at
		}
		period = step(f, period, 1)
	}
}

// begin returns the midnight at which the week or month of a time begins.
func begin(f Frequency, at time.Time) time.Time {
	year, month, day := at.Date()
	if f == Monthly {
		return time.Date(year, month, 1, 0, 0, 0, 0, at.Location())
	}
	sinceMonday := (int(at.Weekday()) + 6) % 7
	return time.Date(year, month, day-sinceMonday, 0, 0, 0, 0, at.Location())
}

// step returns the beginning of the week or month that is n after the one that begins at a time.
func step(f Frequency, at time.Time, n int) time.Time {
	if f == Monthly {
		return time.Date(at.Year(), at.Month()+time.Month(n), 1, 0, 0, 0, 0, at.Location())
	}
	return time.Date(at.Year(), at.Month(), at.Day()+7*n, 0, 0, 0, 0, at.Location())
}

// atHour returns when the reports are sent that are due on the day of a midnight.
func atHour(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), sendHour, 0, 0, 0, day.Location())
}
