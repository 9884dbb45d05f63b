/** The address of a script that the build makes of a module, for worklets. */
declare module '*?worker&url' {
  const url: string
  export = url
}
