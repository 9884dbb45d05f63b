export const CALENDAR_WINDOWS = ['minute', 'hour', 'day', 'month'] as const
export const WINDOW_KINDS = [...CALENDAR_WINDOWS, 'rolling', 'fixed'] as const
export type WindowKind = (typeof WINDOW_KINDS)[number]

/** The parts of a window as the server writes it. */
export function readWindow(text: string): { readonly kind: WindowKind; readonly length: string } {
  const [first = '', length = ''] = text.split(' ')
  return { kind: WINDOW_KINDS.find((kind) => kind === first) ?? 'month', length }
}
