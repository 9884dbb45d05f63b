import { runeCount } from '../bytes.ts'

/** The flags of one printf verb. */
export interface Flags {
  plus: boolean
  minus: boolean
  sharp: boolean
  space: boolean
  zero: boolean
  /** `%+v`: field names. */
  plusV: boolean
  /** `%#v`: Go syntax. */
  sharpV: boolean
  /** Least width in code points; undefined when not given. */
  width: number | undefined
  /** Undefined when not given. */
  precision: number | undefined
}

/** No flag set. */
export function clearFlags(): Flags {
  return {
    plus: false,
    minus: false,
    sharp: false,
    space: false,
    zero: false,
    plusV: false,
    sharpV: false,
    width: undefined,
    precision: undefined,
  }
}

/** Brings a text to its width; zeros are only added in front. */
export function pad(bytes: string, flags: Flags): string {
  const missing = (flags.width ?? 0) - (flags.width === undefined ? 0 : runeCount(bytes))
  if (missing <= 0) return bytes
  if (flags.minus) return bytes + ' '.repeat(missing)
  return (flags.zero ? '0' : ' ').repeat(missing) + bytes
}

/** Pads with spaces, despite the zero flag. */
export function padSpaces(bytes: string, flags: Flags): string {
  return flags.zero ? pad(bytes, { ...flags, zero: false }) : pad(bytes, flags)
}
