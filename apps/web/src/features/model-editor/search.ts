/** Ways to add a model. */
export const SOURCES = ['template', 'uri', 'file'] as const

/** Search parameters of the page that adds a model. */
export interface NewModelSearch {
  readonly from?: (typeof SOURCES)[number]
  /** An address to import. */
  readonly uri?: string
}

export function readNewModelSearch({ from, uri }: Record<string, unknown>): NewModelSearch {
  const source = SOURCES.find((one) => one === from)
  return { ...(source && { from: source }), ...(typeof uri === 'string' && uri !== '' && { uri }) }
}

/** Views of a model file. */
export const EDITOR_VIEWS = ['form', 'yaml'] as const

/** Search parameters of the editor. */
export interface EditorSearch {
  readonly view?: (typeof EDITOR_VIEWS)[number]
  /** Section of the form. */
  readonly section?: string
  /** The line of the text that the editor opens at, from 1. */
  readonly line?: number
}

export function readEditorSearch({ view, section, line }: Record<string, unknown>): EditorSearch {
  const shown = EDITOR_VIEWS.find((one) => one === view)
  const isLine = typeof line === 'number' && Number.isInteger(line) && line > 0
  return {
    ...(shown && { view: shown }),
    ...(typeof section === 'string' && section !== '' && { section }),
    ...(isLine && { line }),
  }
}
