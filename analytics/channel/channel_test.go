package channel

import (
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		rule string
		in   Input
		want Channel
	}{
		{"1 unknown organic on an app is left out", Input{Platform: "ios", OrganicUnknown: true, Source: "google"}, LeftOut},
		{"1 does not hold on the web", Input{Platform: "web", OrganicUnknown: true, Source: "google"}, OrganicSearch},
		{"2 organic app without source", Input{Platform: "android", Organic: true}, OrganicAppStore},
		{"2 comes before the medium", Input{Platform: "android", Organic: true, Medium: "cpc"}, OrganicAppStore},
		{"2 needs an empty source", Input{Platform: "ios", Organic: true, Source: "google"}, OrganicSearch},
		{"2 reads apps only", Input{Platform: "web", Organic: true}, Direct},
		{"3 paid search", Input{Source: "Google", Medium: "CPC"}, PaidSearch},
		{"3 paid search by referrer", Input{ReferrerHost: "google.co.uk", Medium: "ppc"}, PaidSearch},
		{"3 paid social", Input{Source: "facebook", Medium: "paid"}, PaidSocial},
		{"3 paid video", Input{Source: "youtube", Medium: "cpv"}, PaidVideo},
		{"3 paid shopping", Input{Source: "amazon", Medium: "cpa"}, PaidShopping},
		{"3 paid other", Input{Source: "adnet", Medium: "retargeting"}, PaidOther},
		{"3 paidsearch without a known source", Input{Medium: "paidsearch"}, PaidOther},
		{"3 cpm", Input{Source: "fb", Medium: "cpm"}, PaidSocial},
		{"3 display", Input{Source: "google", Medium: "display"}, Display},
		{"3 banner", Input{Medium: "banner"}, Display},
		{"3 interstitial", Input{Medium: "interstitial"}, Display},
		{"3 expandable", Input{Medium: "expandable"}, Display},
		{"4 email medium", Input{Source: "google", Medium: "email"}, Email},
		{"4 email source", Input{Source: "newsletter"}, Email},
		{"4 e_mail", Input{Medium: "e_mail"}, Email},
		{"4 e-mail", Input{Medium: "E-Mail"}, Email},
		{"4 mail provider", Input{ReferrerHost: "mail.google.com"}, Email},
		{"4 affiliate", Input{Source: "google", Medium: "affiliate"}, Affiliates},
		{"4 sms", Input{Medium: "sms"}, SMS},
		{"4 push", Input{Medium: "push"}, Push},
		{"4 notification", Input{Medium: "notification"}, Push},
		{"4 mobile push", Input{Medium: "mobile_web_push"}, Push},
		{"4 web push alone is not listed", Input{Medium: "web_push"}, Direct},
		{"4 audio", Input{Medium: "audio"}, Audio},
		{"4 qr", Input{Medium: "qr", Source: "poster"}, QR},
		{"5 assistant by referrer", Input{ReferrerHost: "chatgpt.com"}, AIAssistants},
		{"5 assistant by source", Input{Source: "perplexity"}, AIAssistants},
		{"5 gemini although google", Input{ReferrerHost: "gemini.google.com"}, AIAssistants},
		{"6 search", Input{ReferrerHost: "google.com"}, OrganicSearch},
		{"6 search subdomain", Input{ReferrerHost: "news.google.com"}, OrganicSearch},
		{"6 search of a country", Input{ReferrerHost: "google.com.au"}, OrganicSearch},
		{"6 a host that only contains the name", Input{ReferrerHost: "google.evilsite.com"}, Referral},
		{"6 medium organic", Input{Source: "somewhere", Medium: "organic"}, OrganicSearch},
		{"6 social", Input{ReferrerHost: "l.facebook.com"}, OrganicSocial},
		{"6 t.co", Input{ReferrerHost: "t.co"}, OrganicSocial},
		{"6 video", Input{ReferrerHost: "m.youtube.com"}, OrganicVideo},
		{"6 shopping", Input{ReferrerHost: "amazon.de"}, OrganicShopping},
		{"6 shopping although google", Input{ReferrerHost: "shopping.google.com"}, OrganicShopping},
		{"6 search goes before social", Input{Source: "facebook", ReferrerHost: "bing.com"}, OrganicSearch},
		{"7 referrer", Input{ReferrerHost: "blog.example"}, Referral},
		{"7 documents of a search company", Input{ReferrerHost: "docs.google.com"}, Referral},
		{"7 source", Input{Source: "partner"}, Referral},
		{"7 medium referral", Input{Medium: "referral"}, Referral},
		{"7 medium link", Input{Medium: "link"}, Referral},
		{"7 medium app", Input{Medium: "app"}, Referral},
		{"8 not organic app", Input{Platform: "ios"}, PaidAppInstall},
		{"9 direct", Input{Platform: "web"}, Direct},
		{"9 an unlisted medium alone", Input{Medium: "hologram"}, Direct},
	} {
		if got := Of(c.in); got != c.want {
			t.Errorf("%s: Of(%+v) = %v, want %v", c.rule, c.in, got, c.want)
		}
	}
}

func TestHost(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                    "",
		"https://WWW.Google.com/search?q=a@b": "google.com",
		"http://user:pw@example.com:8080/x":   "example.com",
		"//example.com/a":                     "example.com",
		"example.com":                         "example.com",
		"www.example.com.":                    "example.com",
		"android-app://com.google.android.gm": "com.google.android.gm",
		"https://[2001:db8::1]:443/":          "[2001:db8::1]",
		"https://example.com?x=1":             "example.com",
		"https://example.com#top":             "example.com",
		"http://wwwx.example":                 "wwwx.example",
		"  https://example.com/ ":             "example.com",
		"HTTPS://Example.com":                 "example.com",
		"example.com:8443/a":                  "example.com",
		"localhost:4000":                      "localhost",
		"chrome-extension://abcdef/":          "",
		"moz-extension://0197aa00/":           "",
		"about:client":                        "",
		"about:blank":                         "",
		"ios-app://544007664/vnd.youtube/":    "",
		"capacitor://localhost":               "",
		"file:///home/a.html":                 "",
		"blob:https://example.com/0197aa00":   "",
		"data:text/html,x":                    "",
		"javascript:alert(1)":                 "",
		"mailto:a@example.com":                "",
		"https:example.com":                   "",
		"not a host":                          "",
	} {
		if got := Host(raw); got != want {
			t.Errorf("Host(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestListsAgree(t *testing.T) {
	if len(names) != int(count) {
		t.Fatalf("%d names for %d channels", len(names), count)
	}
	seen := map[string]string{}
	for _, file := range []string{"search", "social", "video", "shopping", "ai", "mail", "plain"} {
		for _, line := range readList(file) {
			if other, ok := seen[line]; ok {
				t.Errorf("%q is in %s.txt and in %s.txt", line, other, file)
			}
			if line != fold(line) {
				t.Errorf("%s.txt: %q is not in lower case", file, line)
			}
			seen[line] = file
		}
	}
}

// The kept lists are what generate makes: names alone, each in one of them.
func TestKeptLists(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{"kept/ai", "kept/social", "kept/search"} {
		names := readList(file)
		if len(names) < 20 || !slices.IsSorted(names) {
			t.Errorf("%s.txt: %d names, not in order or too few", file, len(names))
		}
		for _, name := range names {
			if seen[name] || Host(name) != name || strings.Contains(strings.TrimSuffix(name, ".*"), "*") {
				t.Errorf("%s.txt: %q is there twice, or no host", file, name)
			}
			seen[name] = true
		}
	}
}

// Referrers as browsers and apps send them.
func TestReferrers(t *testing.T) {
	for referrer, want := range map[string]Channel{
		"android-app://com.google.android.gm/":                    Email,
		"android-app://com.linkedin.android":                      OrganicSocial,
		"android-app://com.twitter.android":                       OrganicSocial,
		"android-app://com.facebook.katana":                       OrganicSocial,
		"android-app://com.Slack":                                 OrganicSocial,
		"android-app://com.pinterest/":                            OrganicSocial,
		"android-app://com.zhiliaoapp.musically":                  OrganicVideo,
		"android-app://com.google.android.youtube":                OrganicVideo,
		"android-app://com.google.android.googlequicksearchbox/":  OrganicSearch,
		"android-app://com.duckduckgo.mobile.android":             OrganicSearch,
		"android-app://com.openai.chatgpt":                        AIAssistants,
		"android-app://ai.perplexity.app.android":                 AIAssistants,
		"android-app://com.amazon.mShop.android.shopping":         OrganicShopping,
		"android-app://com.yahoo.mobile.client.android.mail":      Email,
		"android-app://com.yahoo.mail":                            Referral, // no host of a country
		"android-app://com.android.chrome":                        Referral,
		"android-app://com.example.reader":                        Referral,
		"https://suche.t-online.de/fast-cgi/tsc?q=x":              OrganicSearch,
		"https://www.stract.com/search?q=x":                       OrganicSearch,
		"https://www.google.cat/":                                 OrganicSearch,
		"https://www.google.com.br/":                              OrganicSearch,
		"https://social.vivaldi.net/@a/1":                         OrganicSocial,
		"https://my.mail.ru/a":                                    OrganicSocial,
		"https://e.mail.ru/inbox":                                 Email,
		"https://chat.mistral.ai/chat/1":                          AIAssistants,
		"https://ai.baidu.com/":                                   AIAssistants,
		"https://www.bilibili.com/video/1":                        OrganicVideo, // the list by hand decides
		"https://edition.cnn.com/2026/a":                          Referral,     // and of portals with a search
		"https://translate.google.com/translate?u=https://a.test": Referral,
		"https://login.live.com/":                                 Referral,
	} {
		if got := Of(Input{ReferrerHost: Host(referrer), Platform: "web"}); got != want {
			t.Errorf("%s: %v, want %v", referrer, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("https://google.com/x", "google", "cpc", "ios")
	f.Fuzz(func(t *testing.T, referrer, source, medium, platform string) {
		host := Host(referrer)
		if again := Host(host); again != host && len(again) >= len(host) {
			t.Fatalf("Host is not stable on %q: %q then %q", referrer, host, again)
		}
		got := Of(Input{ReferrerHost: host, Source: source, Medium: medium, Platform: platform})
		if got == LeftOut || got >= count {
			t.Fatalf("no channel for %q %q %q %q", referrer, source, medium, platform)
		}
	})
}
