package resolvers

import (
	"cmp"
	"context"
	"fmt"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/experiment"
)

// variantNames name the variants of an environment, whose ids events carry. A variant that the environment does not
// have, such as one of history from another server, is written as it was sent.
type variantNames struct {
	keys map[string]string // by id: unique within an experiment
	// names are the keys, after the name of the experiment unless it is the one that is asked for, by id. Those of
	// two experiments with one name are left out, so that a name is of one variant.
	names map[string]string
	ids   map[string]string // by name
}

// readVariants reads the variants of an environment, for reports of one experiment; a zero key is all.
func (r *Resolver) readVariants(ctx context.Context, environmentID int64, asked session.Key) (*variantNames, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	experiments, err := r.client.Experiment.Query().
		Where(experiment.HasChannelWith(channel.EnvironmentID(environmentID))).WithVariants().All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the variants of an environment: %w", err)
	}
	named := map[string]int{}
	for _, x := range experiments {
		named[x.Name]++
	}
	n := &variantNames{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, x := range experiments {
		for _, v := range x.Edges.Variants {
			id, name := v.ID.String(), x.Name+": "+v.Key
			n.keys[id] = v.Key
			switch {
			case session.Key(x.ID) == asked:
				name = v.Key
			case named[x.Name] > 1:
				continue
			}
			n.names[id], n.ids[name] = name, id
		}
	}
	return n, nil
}

func (n *variantNames) key(id string) string  { return cmp.Or(n.keys[id], id) }
func (n *variantNames) name(id string) string { return cmp.Or(n.names[id], id) }
func (n *variantNames) id(name string) string { return cmp.Or(n.ids[name], name) }
