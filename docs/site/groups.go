package site

// group is a part of the list of pages.
type group struct {
	Title string
	Pages []*page
}

// contents says in which order pages are read.
var contents = []struct {
	title string
	names []string
}{
	{"Begin", []string{"concepts", "editor", "command-line", "graphql", "sql", "parquet", "mcp"}},
	{"In your app", []string{
		"sdk", "sdk/html", "sdk/server", "sdk/presenting", "sdk/consent", "sdk/errors", "sdk/types", "sdk/testing",
		"sdk/migrating", "backend", "rest",
	}},
	{"Read and decide", []string{
		"analytics", "flow-analytics", "experiments", "revenue", "automations", "notifications", "what-others-got-wrong",
	}},
	{"People and rights", []string{"roles", "identity", "privacy", "plans"}},
	{"Run it", []string{
		"production", "configuration", "operations", "metrics", "database", "scaling", "benchmarks", "benchmarks-year",
		"architecture",
	}},
}

func groupsOf(pages map[string]*page) []group {
	list := make([]group, 0, len(contents))
	for _, part := range contents {
		g := group{Title: part.title}
		for _, name := range part.names {
			if found := pages[name]; found != nil {
				g.Pages = append(g.Pages, found)
			}
		}
		list = append(list, g)
	}
	return list
}
