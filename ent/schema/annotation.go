package schema

// graphQL says what the GraphQL schema, which is generated from the entities, has of an entity or a column. It is
// read by entgql, as its own Annotation would be: that one lives beside ent's and gqlgen's generators, and whoever
// imports it compiles them into the server.
type graphQL struct {
	// Type is the GraphQL type of the column; empty stands for the usual one of its Go type.
	Type string `json:",omitempty"`
	// Skip is a set of entgql.SkipMode.
	Skip int `json:",omitempty"`
}

// Name is the one under which entgql looks for its annotations.
func (graphQL) Name() string { return "EntGQL" }

// ofGraphQL gives a column another GraphQL type than that of its Go type.
func ofGraphQL(name string) graphQL { return graphQL{Type: name} }

// notInGraphQL leaves an entity or a column out. It is entgql.SkipAll.
var notInGraphQL = graphQL{Skip: 1<<6 - 1}
