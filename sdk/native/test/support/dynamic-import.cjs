// Metro makes of `import()` a `require` whose answer comes later. Jest would need Node's modules in its virtual
// machine for it, which React Native's preset does without.
module.exports = ({ template }) => {
  const later = template.expression('Promise.resolve().then(() => require(SOURCE))');
  return {
    visitor: {
      CallExpression(path) {
        if (path.node.callee.type === 'Import') path.replaceWith(later({ SOURCE: path.node.arguments[0] }));
      },
      ImportExpression(path) {
        path.replaceWith(later({ SOURCE: path.node.source }));
      },
    },
  };
};
