package ingest

import (
	_ "embed"
	"fmt"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/mileusna/useragent"
)

// AgentKind says who is behind a User-Agent.
type AgentKind int8

const (
	AgentPerson   AgentKind = iota // also every HTTP library, since apps and servers use them
	AgentCrawler                   // a known crawler or AI agent
	AgentHeadless                  // an automated browser: somebody's tests on a test key, a bot on a live one
)

// Agent is what a User-Agent tells. Empty fields are unknown.
type Agent struct {
	Browser, OS string
	Device      string // desktop, mobile or tablet
	Kind        AgentKind
}

// agentCacheSize entries of about 300 bytes cover the variety that one server
// sees; parsing takes some microseconds, a hit some tens of nanoseconds.
const agentCacheSize = 20_000

// maxAgentBytes of a User-Agent are read. Real ones are shorter; the cut keeps
// the cache bounded in bytes.
const maxAgentBytes = 512

//go:embed agents.txt
var crawlerList string

var crawlers = listLines(crawlerList)

var headless = []string{
	"headlesschrome", "phantomjs", "slimerjs", "htmlunit", "jsdom/", "playwright", "puppeteer", "selenium",
}

// browsers are the names that count as a browser. The parser names whatever
// comes first in a User-Agent, such as an HTTP library.
var browsers = map[string]string{
	useragent.Chrome: "Chrome", useragent.HeadlessChrome: "Chrome", useragent.Safari: "Safari",
	useragent.MobileSafari: "Safari", useragent.Firefox: "Firefox",
	useragent.Edge: "Edge", useragent.Opera: "Opera", useragent.OperaMini: "Opera Mini",
	useragent.OperaTouch:       "Opera Touch",
	useragent.InternetExplorer: "Internet Explorer", useragent.Vivaldi: "Vivaldi",
	useragent.SamsungBrowser: "Samsung Browser",
	useragent.NetFront:       "NetFront", useragent.FacebookApp: "Facebook", useragent.InstagramApp: "Instagram",
	useragent.TiktokApp: "TikTok",
	"DuckDuckGo":        "DuckDuckGo", "Brave": "Brave", "YaBrowser": "Yandex Browser", "UCBrowser": "UC Browser",
	"MiuiBrowser":   "Mi Browser",
	"HuaweiBrowser": "Huawei Browser", "Ecosia": "Ecosia", "Whale": "Whale", "QQBrowser": "QQ Browser",
}

var systems = map[string]string{
	useragent.Windows: "Windows", useragent.WindowsPhone: "Windows Phone", useragent.Android: "Android",
	useragent.MacOS: "macOS",
	useragent.IOS:   "iOS", useragent.Linux: "Linux", useragent.FreeBSD: "FreeBSD", useragent.ChromeOS: "ChromeOS",
	useragent.CrOS:       "ChromeOS",
	useragent.BlackBerry: "BlackBerry", useragent.Harmony: "HarmonyOS",
}

func listLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// Agents reads User-Agents and remembers what it read. It is safe for
// concurrent use.
type Agents struct{ seen *lru.Cache[string, Agent] }

// NewAgents returns a reader of User-Agents with an empty memory.
func NewAgents() (*Agents, error) {
	seen, err := lru.New[string, Agent](agentCacheSize)
	if err != nil {
		return nil, fmt.Errorf("user agent cache: %w", err)
	}
	return &Agents{seen: seen}, nil
}

// Look reads one User-Agent.
func (a *Agents) Look(userAgent string) Agent {
	userAgent = userAgent[:min(len(userAgent), maxAgentBytes)]
	if userAgent == "" {
		return Agent{}
	}
	if agent, ok := a.seen.Get(userAgent); ok {
		return agent
	}
	userAgent = strings.Clone(userAgent)
	agent := parseAgent(userAgent)
	a.seen.Add(userAgent, agent)
	return agent
}

func parseAgent(userAgent string) Agent {
	parsed := useragent.Parse(userAgent)
	agent := Agent{Browser: browsers[parsed.Name], OS: systems[parsed.OS]}
	switch {
	case parsed.Tablet:
		agent.Device = "tablet"
	case parsed.Mobile:
		agent.Device = "mobile"
	case parsed.Desktop:
		agent.Device = "desktop"
	}
	lower := strings.ToLower(userAgent)
	switch {
	case containsAny(lower, crawlers):
		agent.Kind = AgentCrawler
	case containsAny(lower, headless):
		agent.Kind = AgentHeadless
	}
	return agent
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
