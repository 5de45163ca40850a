package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	everything := `{"revenuecat":{"enabled":false,"defaultOfferingId":"","defaultPlacementId":""},"superwall":{"enabled":false,"defaultPlacementId":""},"appsflyer":{"enabled":false},"stripe":{"enabled":false}}`
	for stored, want := range map[string]string{
		`{}`:                           everything,
		``:                             everything,
		`null`:                         everything,
		`[1]`:                          everything,
		`{"stripe":{"enabled":"yes"}}`: everything,
		`{"other":{"enabled":true}}`:   everything,
		`{"stripe":{"enabled":true,"later":[1]}}`: strings.Replace(
			everything, `"stripe":{"enabled":false`, `"stripe":{"enabled":true`, 1,
		),
		`{"revenuecat":{"defaultOfferingId":"o"}}`: strings.Replace(
			everything, `"defaultOfferingId":""`, `"defaultOfferingId":"o"`, 1,
		),
	} {
		text, err := json.Marshal(Parse([]byte(stored)))
		require.NoError(t, err)
		require.JSONEq(t, want, string(text), stored)
	}
}
