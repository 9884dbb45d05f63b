/** A pair of markers. */
export interface Wrapper {
  readonly start: string
  readonly end: string
}

/** Where a form puts the id of a call. Without an end it is a word, as a name without one is. */
export interface IdForm extends Wrapper {
  readonly place: 'before-name' | 'before-arguments' | 'after-arguments'
}

/** How a form writes arguments as tagged values. All markers may be empty but the two of a key. */
export interface ValueForm {
  readonly keyStart: string
  readonly keyEnd: string
  /** Stands between the key and its value, if it is there. */
  readonly valueStart: string
  /** Empty: the value is JSON and ends where that ends. */
  readonly valueEnds: readonly string[]
  /** May follow a value. */
  readonly separator: string
  /** Values are text even where they could be JSON. */
  readonly isRaw: boolean
  /** Values lose all white space at their ends, not just one unit of it. */
  readonly isTrimmed: boolean
}

/**
 * How a model writes calls between markers: `scope( callStart? toolStart name nameEnd arguments toolEnd callEnd? )*`,
 * with blanks allowed between all parts. An empty marker is not there; only `toolStart` never is.
 */
export interface TagForm {
  readonly scope?: Wrapper | undefined
  /** A call may also stand outside of the scope. */
  readonly isBare: boolean
  readonly callStart: string
  readonly toolStart: string
  /** Empty: the name is a word of letters, digits, `_`, `.` and `-`. */
  readonly nameEnd: string
  /** The name that the tool has in the request. */
  readonly cleanName?: ((name: string) => string) | undefined
  readonly id?: IdForm | undefined
  readonly argumentsStart: string
  readonly argumentsEnd: string
  /** The arguments may be a JSON object. */
  readonly takesJson: boolean
  /** The arguments may be tagged values. */
  readonly values?: ValueForm | undefined
  /** Longer ones first; none: the arguments end by themselves. */
  readonly toolEnds: readonly string[]
  readonly callEnd: string
}

/** What most forms have in common: no outer parts, JSON arguments. */
export const PLAIN_FORM: Omit<TagForm, 'toolStart' | 'nameEnd'> = {
  isBare: true,
  callStart: '',
  argumentsStart: '',
  argumentsEnd: '',
  takesJson: true,
  toolEnds: [],
  callEnd: '',
}

/** What most tagged values have in common. */
export const PLAIN_VALUES: Omit<ValueForm, 'keyStart' | 'keyEnd' | 'valueEnds'> = {
  valueStart: '',
  separator: '',
  isRaw: false,
  isTrimmed: false,
}
