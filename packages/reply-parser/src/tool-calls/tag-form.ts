/** A pair of markers. */
export interface Wrapper {
  readonly start: string
  readonly end: string
}

/** Place of the id in a call of a form. Without an end marker the id is a word, like a name without one. */
export interface IdForm extends Wrapper {
  readonly place: 'before-name' | 'before-arguments' | 'after-arguments'
}

/** Markers of arguments as tagged values. Only the two markers of a key must not be empty. */
export interface ValueForm {
  readonly keyStart: string
  readonly keyEnd: string
  /** Optional marker between the key and its value. */
  readonly valueStart: string
  /** Empty: the value is JSON, and its end is the end of the JSON. */
  readonly valueEnds: readonly string[]
  /** Optional marker after a value. */
  readonly separator: string
  /** Values are text even where they could be JSON. */
  readonly isRaw: boolean
  /** Values lose all white space at their ends, not just one unit of it. */
  readonly isTrimmed: boolean
}

/**
 * Form of calls between markers: `scope( callStart? toolStart name nameEnd arguments toolEnd callEnd? )*`, with blanks
 * allowed between all parts. An empty marker is absent; `toolStart` is never empty.
 */
export interface TagForm {
  readonly scope?: Wrapper | undefined
  /** A call may also be outside of the scope. */
  readonly isBare: boolean
  readonly callStart: string
  readonly toolStart: string
  /** Empty: the name is a word of letters, digits, `_`, `.` and `-`. */
  readonly nameEnd: string
  /** Converts a written name to the tool's name in the request. */
  readonly cleanName?: ((name: string) => string) | undefined
  readonly id?: IdForm | undefined
  readonly argumentsStart: string
  readonly argumentsEnd: string
  /** The arguments may be a JSON object. */
  readonly takesJson: boolean
  /** The arguments may be tagged values. */
  readonly values?: ValueForm | undefined
  /** Longer ones first. Empty list: the arguments have no end marker. */
  readonly toolEnds: readonly string[]
  readonly callEnd: string
}

/** Defaults of most forms: no outer parts, JSON arguments. */
export const PLAIN_FORM: Omit<TagForm, 'toolStart' | 'nameEnd'> = {
  isBare: true,
  callStart: '',
  argumentsStart: '',
  argumentsEnd: '',
  takesJson: true,
  toolEnds: [],
  callEnd: '',
}

/** Defaults of most tagged values. */
export const PLAIN_VALUES: Omit<ValueForm, 'keyStart' | 'keyEnd' | 'valueEnds'> = {
  valueStart: '',
  separator: '',
  isRaw: false,
  isTrimmed: false,
}
