package ingest

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/stretchr/testify/require"
)

// writeGeoFile makes a database that knows one network.
func writeGeoFile(t *testing.T, network string, record mmdbtype.Map) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "GeoLite2-City", RecordSize: 24})
	require.NoError(t, err)
	_, ipNet, err := net.ParseCIDR(network)
	require.NoError(t, err)
	require.NoError(t, tree.Insert(ipNet, record))
	path := filepath.Join(t.TempDir(), "city.mmdb")
	file, err := os.Create(path)
	require.NoError(t, err)
	_, err = tree.WriteTo(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return path
}

func london() mmdbtype.Map {
	return mmdbtype.Map{
		"country":      mmdbtype.Map{"iso_code": mmdbtype.String("GB")},
		"subdivisions": mmdbtype.Slice{mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String("England")}}},
		"city":         mmdbtype.Map{"names": mmdbtype.Map{"de": mmdbtype.String("Londen"), "en": mmdbtype.String("London")}},
		"location":     mmdbtype.Map{"latitude": mmdbtype.Float64(51.5), "longitude": mmdbtype.Float64(-0.125)},
	}
}

var londonPlace = Place{Country: "GB", Region: "England", City: "London", Lat: 51.5, Lon: -0.125, HasCoordinates: true}

func TestGeoFile(t *testing.T) {
	geo, err := OpenGeoFile(writeGeoFile(t, "81.2.69.0/24", london()))
	require.NoError(t, err)
	defer func() { require.NoError(t, geo.Close()) }()
	require.Equal(t, londonPlace, geo.Locate(netip.MustParseAddr("81.2.69.142"), nil))
	require.Equal(
		t, londonPlace, geo.Locate(netip.MustParseAddr("::ffff:81.2.69.142"), nil), "an IPv4 address in IPv6 form",
	)
	require.Zero(t, geo.Locate(netip.MustParseAddr("203.0.113.9"), nil))
	require.Zero(t, geo.Locate(netip.Addr{}, nil))

	_, err = OpenGeoFile(filepath.Join(t.TempDir(), "missing.mmdb"))
	require.ErrorContains(t, err, "open geo database")
}

func TestGeoHeaders(t *testing.T) {
	geo := GeoHeaders{
		Country: "CF-IPCountry", Region: "CF-Region", City: "CF-IPCity", Latitude: "CF-IPLatitude",
		Longitude: "CF-IPLongitude",
	}
	header := http.Header{}
	for k, v := range map[string]string{
		"CF-IPCountry": "gb", "CF-Region": "England", "CF-IPCity": "S%C3%A3o Paulo", "CF-IPLatitude": "51.5",
		"CF-IPLongitude": "-0.125",
	} {
		header.Set(k, v)
	}
	require.Equal(
		t, Place{Country: "GB", Region: "England", City: "São Paulo", Lat: 51.5, Lon: -0.125, HasCoordinates: true},
		geo.Locate(netip.Addr{}, header),
	)
	for _, unknown := range []string{"XX", "T1", "", "GBR", "G1"} {
		header.Set("CF-IPCountry", unknown)
		require.Empty(t, geo.Locate(netip.Addr{}, header).Country, unknown)
	}
	header.Set("CF-IPLatitude", "91")
	header.Set("CF-IPCity", "\xff"+strings.Repeat("x", 100))
	place := geo.Locate(netip.Addr{}, header)
	require.False(t, place.HasCoordinates)
	require.Equal(t, strings.Repeat("x", 80), place.City)
	require.Zero(t, GeoHeaders{}.Locate(netip.Addr{}, header), "without configuration no header is trusted")
	require.Zero(t, NoPlace{}.Locate(netip.Addr{}, header))
}

func TestAgents(t *testing.T) {
	agents, err := NewAgents()
	require.NoError(t, err)
	for userAgent, want := range map[string]Agent{
		"": {},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15":                   {Browser: "Safari", OS: "macOS", Device: "desktop"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1": {Browser: "Safari", OS: "iOS", Device: "mobile"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0":           {Browser: "Edge", OS: "Windows", Device: "desktop"},
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36":                   {Browser: "Chrome", OS: "Android", Device: "mobile"},
		"Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1":          {Browser: "Safari", OS: "iOS", Device: "tablet"},
		"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0":                                                                  {Browser: "Firefox", OS: "Linux", Device: "desktop"},
		"Mozilla/5.0 (Linux; Android 7.0; CUBOT_NOTE_S) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.0.0 Mobile Safari/537.36":              {Browser: "Chrome", OS: "Android", Device: "mobile"},
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                                {Kind: AgentCrawler},
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot":                                  {Kind: AgentCrawler},
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)":                                 {Kind: AgentCrawler},
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)":                                                               {Kind: AgentCrawler},
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36":                           {Browser: "Chrome", OS: "Linux", Device: "desktop", Kind: AgentHeadless},
		"curl/8.5.0": {}, "okhttp/4.12.0": {}, "MyApp/3 CFNetwork/1494.0.7 Darwin/23.4.0": {}, "python-requests/2.32.0": {},
		"Go-http-client/2.0": {}, "Python-urllib/3.12": {}, "axios/1.7.2": {},
	} {
		for range 2 { // parsed, then remembered
			got := agents.Look(userAgent)
			require.Equal(t, want.Kind, got.Kind, userAgent)
			if want.Kind != AgentCrawler { // of a crawler nothing else is used
				require.Equal(t, want, got, userAgent)
			}
		}
	}
	require.Equal(t, agents.Look(strings.Repeat("a", 600)), agents.Look(strings.Repeat("a", 700)))
}

func TestCrawlerListIsLowerCaseAndSpecific(t *testing.T) {
	require.Greater(t, len(crawlers), 150)
	seen := map[string]bool{}
	for _, part := range crawlers {
		require.Equal(t, strings.ToLower(part), part)
		require.GreaterOrEqual(t, len(part), 5, part)
		require.False(t, seen[part], part+" stands twice")
		seen[part] = true
		for _, library := range []string{
			"curl/8", "okhttp/4", "cfnetwork/1 darwin/23", "python-requests", "aiohttp", "go-http-client", "dart:io",
			"alamofire", "expo",
		} {
			require.NotContains(t, library, part)
		}
	}
}
