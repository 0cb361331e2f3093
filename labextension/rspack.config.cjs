// TypeScript goes straight into the official builder, so that a build needs no compiler of its own.
module.exports = {
  resolve: { extensions: ['.ts', '.js'] },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: 'builtin:swc-loader',
        options: { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } },
        type: 'javascript/auto'
      }
    ]
  }
};
