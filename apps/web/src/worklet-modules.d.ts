/** The address of a script that the build makes of a module, for worklets. */
declare module '*?worker&url' {
  export const url: string
  export { url as default }
}
