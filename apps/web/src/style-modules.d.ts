/** The classes of a style sheet by their names. Import it with `import * as styles`, so that the build writes them out. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export = classes
}

/** Styles for all pages. The compiler takes the first pattern that fits. */
declare module '*.css' {}
