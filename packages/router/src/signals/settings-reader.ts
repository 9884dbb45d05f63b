import type { RouterProblem } from '../validate-settings.ts'

/** Place of a value, by the names of our types. */
export type Path = readonly (string | number)[]

/** A value of unknown type that settings hold. */
export type Plain = Readonly<Record<string, unknown>>

/** Reads settings that may have any type, and notes their mistakes with their places. */
export class SettingsReader {
  readonly problems: RouterProblem[] = []

  /** Notes a mistake. It stops the classifier: a rule that is left out could send a prompt to the wrong model. */
  report(path: Path, message: string): undefined {
    const place = path.map((part) => (typeof part === 'number' ? part : toSnakeCase(part)))
    this.problems.push({ path: place, message, stopsClassifier: true })
    return undefined
  }

  object(value: unknown, path: Path): Plain | undefined {
    return isPlain(value) ? value : this.report(path, 'must be a map')
  }

  /** Reports the keys of a map that have no meaning. */
  keys(value: Plain, known: readonly string[], path: Path): void {
    for (const key of Object.keys(value)) {
      if (value[key] !== undefined && !known.includes(key))
        this.report([...path, key], `is not one of ${known.map(toSnakeCase).join(', ')}`)
    }
  }

  /** One text, or a list of them; none is empty. */
  texts(value: unknown, path: Path, most: number): readonly string[] | undefined {
    const list = Array.isArray(value) ? value : [value]
    if (list.length === 0) return this.report(path, 'is empty')
    if (list.length > most) return this.report(path, `must name at most ${most}`)
    const wrong = list.findIndex((each) => typeof each !== 'string' || each.trim() === '')
    if (wrong < 0) return list as string[]
    return this.report(Array.isArray(value) ? [...path, wrong] : path, 'must be a text that is not empty')
  }

  number(value: unknown, path: Path, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
    if (typeof value === 'number' && value >= min && value <= max) return value
    return this.report(
      path,
      Number.isFinite(max) ? `must be a number from ${min} to ${max}` : `must be a number from ${min} on`,
    )
  }

  /** Whole numbers only. */
  count(value: unknown, path: Path, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
    return this.report(path, `must be a whole number from ${min} to ${max}`)
  }

  flag(value: unknown, path: Path): boolean | undefined {
    return typeof value === 'boolean' ? value : this.report(path, 'must be true or false')
  }

  word<const Word extends string>(value: unknown, words: readonly Word[], path: Path): Word | undefined {
    const found = words.find((word) => word === value)
    return found ?? this.report(path, `must be one of ${words.join(', ')}`)
  }
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
