/** Documents to begin with. Their variables are filled with the app that was open last. */
export const examples: readonly { name: string; query: string; variables: (app: string) => object }[] = [
  {
    name: 'Visitors of the last seven days',
    query: `query Visitors($app: ID!, $scope: ScopeInput!) {
  app(id: $app) {
    name
    productAnalytics(scope: $scope) {
      summary { visitors sessions bounceRate revenue previous { visitors } }
      series(grain: DAY) { bucket visitors }
    }
  }
}
`,
    variables: (app) => ({ app, scope: { timeZone: 'UTC' } }),
  },
  {
    name: 'Sources, filtered by country',
    query: `query Sources($app: ID!, $scope: ScopeInput!) {
  app(id: $app) {
    productAnalytics(scope: $scope) {
      attribution(dimension: SOURCE, orderBy: REVENUE, first: 20) {
        totalCount
        nodes { value visitors revenue }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
`,
    variables: (app) => ({ app, scope: { cross: { country: { op: 'IS', values: ['DE', 'FR'] } } } }),
  },
  {
    name: 'Flows side by side',
    query: `query Flows($app: ID!) {
  app(id: $app) {
    appFlowOverview(first: 20, orderBy: STARTS) {
      nodes { name starts completionRate revenue }
    }
  }
}
`,
    variables: (app) => ({ app }),
  },
  {
    name: 'Funnel of a flow',
    query: `query Funnel($scope: FlowAnalyticsScope!) {
  flowAnalytics(scope: $scope) {
    overview { starts completions completionRate revenue }
    funnel { runs steps { id name reach drop medianSeconds } }
  }
}
`,
    variables: () => ({ scope: { flowId: '', timeZone: 'UTC' } }),
  },
  {
    name: 'Live visitors',
    query: `subscription Live($app: ID!) {
  live(appId: $app, first: 10) {
    count
    people { nodes { appUserId page country lastSeenAt } }
  }
}
`,
    variables: (app) => ({ app }),
  },
  {
    name: 'Who I am',
    query: `query Viewer {
  viewer { email workspaces { nodes { role workspace { id name apps { nodes { id name } } } } } }
}
`,
    variables: () => ({}),
  },
];
