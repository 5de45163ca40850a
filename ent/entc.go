//go:build ignore

// Generates the entities, and graph/ent.graphql from those that GraphQL shows.
package main

import (
	"log"

	"entgo.io/contrib/entgql"
	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
	"github.com/vektah/gqlparser/v2/ast"
)

func main() {
	graphql, err := entgql.NewExtension(
		entgql.WithSchemaGenerator(),
		entgql.WithSchemaPath("../graph/ent.graphql"),
		entgql.WithSchemaHook(columnsOnly),
		// The schema is all that is wanted: connections, orders and edges are
		// written by hand, because each of them checks who may read it.
		entgql.WithRelaySpec(false),
		entgql.WithTemplates(),
	)
	if err != nil {
		log.Fatalf("preparing the GraphQL extension: %v", err)
	}
	storage, err := gen.NewStorage("sql")
	if err != nil {
		log.Fatalf("choosing the database: %v", err)
	}
	// The tables are made by postgres/migrations. Those of ent would be compiled, with all the databases they know.
	storage.SchemaMode &^= gen.Migrate
	err = entc.Generate("./schema", &gen.Config{
		Storage:  storage,
		Features: []gen.Feature{gen.FeatureLock, gen.FeatureExecQuery},
	}, entc.Extensions(graphql))
	if err != nil {
		log.Fatalf("generating the entities: %v", err)
	}
	if err := prune(); err != nil {
		log.Fatalf("taking out what nothing calls: %v", err)
	}
}

// columnsOnly leaves an entity's own columns in its GraphQL type. Edges are
// fields with resolvers, foreign keys are what edges are for, and enums are
// declared in upper case beside the resolvers; scalars are in schema.graphql.
func columnsOnly(_ *gen.Graph, schema *ast.Schema) error {
	for name, definition := range schema.Types {
		if definition.Kind == ast.Enum || definition.Kind == ast.Scalar {
			delete(schema.Types, name)
		}
	}
	for _, definition := range schema.Types {
		kept := ast.FieldList{}
		for _, field := range definition.Fields {
			foreignKey := field.Type.Name() == "ID" && field.Name != "id"
			if builtin[field.Type.Name()] && !foreignKey {
				kept = append(kept, field)
			}
		}
		definition.Fields = kept
	}
	return nil
}

// builtin are the scalars that columns have.
var builtin = map[string]bool{
	"ID": true, "String": true, "[String!]": true, "Int": true, "Boolean": true, "Time": true, "JSON": true, "Count64": true,
}
