/** The view of the palette: commands to search, or the list of keys. */
export type PaletteView = 'commands' | 'keys'

let show: (view: PaletteView) => void = () => {}

/** Opens the command palette. */
export function openPalette(view: PaletteView): void {
  show(view)
}

/** Sets the function that draws the palette. */
export function setPaletteHost(host: (view: PaletteView) => void): void {
  show = host
}
