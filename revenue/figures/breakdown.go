package figures

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/svc-dev/svc/analytics/channel"
)

// breakDown makes a query sum by a dimension and returns what the values of the answer stand for.
func (r *Reader) breakDown(ctx context.Context, q *query, by Dimension) (name func(value string) string, err error) {
	row, column := "p", fields[by].period
	if q.isOfLedger() {
		row, column = "l", fields[by].ledger
	}
	switch {
	case by == AcquisitionChannel:
		q.part["join"] = strings.ReplaceAll(`left join product_analytics_first_touch t
			on t.environment_id = row.environment_id and t.app_user_id = row.app_user_id
			and row.app_user_id <> ''`, "row.", row+".")
		q.part["value"] = `case when t.app_user_id is null then '' else json_build_array(
			t.source, t.medium, t.referrer_host, t.platform, t.organic, t.organic_unknown)::text end`
		return channelOf, nil
	case column != "":
		q.part["value"] = column
	}
	return func(value string) string { return value }, nil
}

// channelOf returns the acquisition channel of a first touch, as a breakdown by it reads it.
func channelOf(touch string) string {
	if touch == "" {
		return ""
	}
	var in channel.Input
	values := []any{&in.Source, &in.Medium, &in.ReferrerHost, &in.Platform, &in.Organic, &in.OrganicUnknown}
	if err := json.Unmarshal([]byte(touch), &values); err != nil {
		return ""
	}
	return channel.Of(in).String()
}
