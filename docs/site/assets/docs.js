"use strict";
// Makes blocks that scroll stops of the keyboard, and fills an app's own ids and keys into samples for a reader who is
// signed in; nobody else sees the choice.
(() => {
  // What scrolls is reached by keys.
  for (const block of document.querySelectorAll("pre, main table")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
  }

  const chosenApp = "svc-docs-app";
  const label = document.getElementById("app");
  const select = label.querySelector("select");
  const environment = "publishableKeys(first: 1) { nodes { key } } channels(first: 1) { nodes { id } }";
  const query = `query SamplesOfApps { viewer { workspaces(first: 5) { nodes { workspace { id apps(first: 10) { nodes {
    id name live: environment(kind: LIVE) { ${environment} } test: environment(kind: TEST) { ${environment} }
  } } } } } } }`;

  // What stands in samples for each id and key.
  const placeholders = /\$(?:APP|WORKSPACE)\b|(?:ob_pk|ch)_(?:live|test)_…/g;

  function valuesOf(workspace, app) {
    const values = { $APP: app.id, $WORKSPACE: workspace.id };
    for (const kind of ["live", "test"]) {
      values[`ob_pk_${kind}_…`] = app[kind].publishableKeys?.nodes[0]?.key;
      values[`ch_${kind}_…`] = app[kind].channels?.nodes[0]?.id;
    }
    return values;
  }

  const samples = [];
  for (const code of document.querySelectorAll("code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (node.data.search(placeholders) >= 0) samples.push({ node, text: node.data });
    }
  }

  function fill(values) {
    for (const { node, text } of samples) node.data = text.replace(placeholders, (name) => values[name] ?? name);
  }

  async function ask() {
    const response = await fetch("/graphql", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query }),
    });
    const { data } = await response.json();
    return (data?.viewer?.workspaces.nodes ?? []).flatMap(({ workspace }) =>
      (workspace.apps?.nodes ?? []).map((app) => ({ app, values: valuesOf(workspace, app) })),
    );
  }

  function offer(apps) {
    if (apps.length === 0) return;
    for (const { app } of apps) select.add(new Option(app.name, app.id));
    const stored = localStorage.getItem(chosenApp);
    if (apps.some(({ app }) => app.id === stored)) select.value = stored;
    const show = () => fill(apps[select.selectedIndex].values);
    select.addEventListener("change", () => {
      localStorage.setItem(chosenApp, select.value);
      show();
    });
    label.hidden = false;
    show();
  }

  // Samples stay as they are where nobody answers.
  if (samples.length > 0) ask().then(offer, () => undefined);
})();
