/**
 * A backend's description of the form in which its model writes calls. Texts are exact; an empty text means absent. The
 * names come from the backend contract.
 */
export interface ToolFormatMarkers {
  /** `json_native`, `tag_with_json` or `tag_with_tagged`; anything else: unknown. */
  readonly formatType: string
  /** Around all calls of a reply. */
  readonly sectionStart: string
  readonly sectionEnd: string
  /** Around each call. */
  readonly perCallStart: string
  readonly perCallEnd: string
  readonly funcNamePrefix: string
  readonly funcNameSuffix: string
  readonly funcClose: string
  readonly argNamePrefix: string
  readonly argNameSuffix: string
  readonly argValuePrefix: string
  readonly argValueSuffix: string
  readonly argSeparator: string
  readonly argsStart: string
  readonly argsEnd: string
  /** Keys of a call written as JSON. */
  readonly nameField: string
  readonly argsField: string
  readonly idField: string
  readonly genIdField: string
  /** Key of the object that holds name and arguments. */
  readonly functionField: string
  /** The name is the only key, its value the arguments. */
  readonly funNameIsKey: boolean
  /** `pre_func_name`, `between_func_and_args` or `post_args`. */
  readonly callIdPosition: string
  readonly callIdPrefix: string
  readonly callIdSuffix: string
}

/** Empty markers. */
export const NO_MARKERS: ToolFormatMarkers = {
  formatType: '',
  sectionStart: '',
  sectionEnd: '',
  perCallStart: '',
  perCallEnd: '',
  funcNamePrefix: '',
  funcNameSuffix: '',
  funcClose: '',
  argNamePrefix: '',
  argNameSuffix: '',
  argValuePrefix: '',
  argValueSuffix: '',
  argSeparator: '',
  argsStart: '',
  argsEnd: '',
  nameField: '',
  argsField: '',
  idField: '',
  genIdField: '',
  functionField: '',
  funNameIsKey: false,
  callIdPosition: '',
  callIdPrefix: '',
  callIdSuffix: '',
}
