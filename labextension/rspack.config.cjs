// TypeScript goes straight into the official builder, so that a build needs no compiler of its own.
module.exports = {
  resolve: { extensions: ['.tsx', '.ts', '.js'] },
  module: {
    rules: [
      {
        test: /\.tsx?$/,
        loader: 'builtin:swc-loader',
        options: {
          jsc: {
            parser: { syntax: 'typescript', tsx: true },
            transform: { react: { runtime: 'automatic', importSource: 'preact' } },
            target: 'es2022'
          }
        },
        type: 'javascript/auto'
      }
    ]
  }
};
