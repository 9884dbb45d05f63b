import { ACCOUNT_FLAGS } from './account-command.ts'
import { NODE_FLAGS } from './node-command.ts'
import { formatOptionName, type Option } from './option.ts'
import { OPTIONS } from './schema.ts'
import { didYouMean } from './suggest.ts'

/** A value as the command line gave it. */
interface FlagValue {
  readonly text: string
  /** The flag as it was written, for messages. */
  readonly writtenAs: string
}

/** A command line taken apart; its values are not checked yet. */
export interface ParsedArguments {
  /** Values by their name in the configuration. */
  readonly values: ReadonlyMap<string, FlagValue>
  /** The command and its arguments. */
  readonly words: readonly string[]
  /** Flags of commands, by their names; `true` where one takes no value. */
  readonly commandFlags: ReadonlyMap<string, string | true>
  readonly help: boolean
  /** Whether the help text lists the flags that are refused too. */
  readonly all: boolean
  readonly version: boolean
  readonly problems: readonly string[]
}

interface Flag {
  readonly option: Option
  /** The value of a `--no-` form. */
  readonly negated: boolean
}

function flagTable(): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>()
  for (const option of OPTIONS) {
    for (const name of [option.flag, ...(option.aliases ?? [])]) {
      if (name === undefined) continue
      flags.set(`--${name}`, { option, negated: false })
      if (option.shape === 'switch') flags.set(`--no-${name}`, { option, negated: true })
    }
    if (option.short !== undefined) flags.set(`-${option.short}`, { option, negated: false })
  }
  return flags
}

const FLAGS = flagTable()

/** Flags of one command, each with the form of its value. */
const COMMAND_FLAGS: ReadonlyMap<string, string | undefined> = new Map([
  ['--name', 'a name'],
  ['--link', undefined],
  ['--move', undefined],
  ['--backend', 'the backend of the model'],
  ['--json', undefined],
  ['--system', 'the text of the system message'],
  ['--dry-run', undefined],
  ['--min-rate', 'the least share of texts that the right model serves, 0 to 1'],
  ['--detectors', 'names of detector models, with commas between'],
  ['--offsets', 'the unit of offsets: utf8, utf16 or codepoint'],
  ...ACCOUNT_FLAGS,
  ...NODE_FLAGS,
])

/** Flags of other programs, each with the flag that does the same here. */
const USUAL_FLAGS: ReadonlyMap<string, string> = new Map([
  ['--port', '--address HOST:PORT'],
  ['-p', '--address HOST:PORT'],
  ['--host', '--address HOST:PORT'],
  ['--listen', '--address HOST:PORT'],
  ['--bind', '--address HOST:PORT'],
  ['--model', '`svc models add FILE`, or --models-path DIR'],
  ['-m', '`svc models add FILE`, or --models-path DIR'],
  ['--model-path', '--models-path DIR'],
  ['--models-dir', '--models-path DIR'],
  ['--key', '--api-keys KEY'],
  ['--api-key', '--api-keys KEY'],
  ['--verbose', '--log-level debug'],
  ['-v', '--log-level debug, or --version'],
  ['--ctx-size', '--context-size N'],
  ['-c', '--context-size N'],
])

function unknownFlag(name: string): string {
  const usual = USUAL_FLAGS.get(name)
  const hint = usual === undefined ? didYouMean(name, FLAGS.keys()) : ` (it is ${usual} here)`
  return `unknown flag ${name}${hint}`
}

/** `--flag=value` and `-t4` in two parts; the value is undefined where none is attached. */
function split(argument: string): { readonly name: string; readonly value: string | undefined } {
  const equals = argument.indexOf('=')
  if (equals > 0) return { name: argument.slice(0, equals), value: argument.slice(equals + 1) }
  if (!argument.startsWith('--') && argument.length > 2) return { name: argument.slice(0, 2), value: argument.slice(2) }
  return { name: argument, value: undefined }
}

/** A negative number is a value, any other leading dash begins a flag. */
const isFlag = (argument: string): boolean => /^-(?!\d|$)/.test(argument)

/** The value of a flag, and whether it is the next argument. A text says why there is none. */
function takeValue(
  flag: Flag,
  attached: string | undefined,
  next: string | undefined,
): { readonly text: string; readonly tookNext: boolean } | string {
  if (flag.negated) return attached === undefined ? { text: 'false', tookNext: false } : 'takes no value'
  if (attached !== undefined) return { text: attached, tookNext: false }
  if (flag.option.shape === 'switch') return { text: 'true', tookNext: false }
  if (next === undefined || isFlag(next)) return `needs a value: ${flag.option.form}`
  return { text: next, tookNext: true }
}

/**
 * Takes a command line apart. Flags may be anywhere, `--` ends them. The last of two equal flags counts; lists add
 * up. Unknown flags and missing values are problems and are not thrown.
 *
 * @param argv the arguments after the program's name
 */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const values = new Map<string, FlagValue>()
  const words: string[] = []
  const commandFlags = new Map<string, string | true>()
  const problems: string[] = []
  let help = false
  let all = false
  let version = false
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? ''
    if (argument === '--') {
      words.push(...argv.slice(index + 1))
      break
    }
    if (!isFlag(argument)) {
      words.push(argument)
      continue
    }
    if (argument === '--help' || argument === '-h') help = true
    else if (argument === '--all') all = true
    else if (argument === '--version') version = true
    else {
      const { name, value } = split(argument)
      const flag = FLAGS.get(name)
      if (flag === undefined && COMMAND_FLAGS.has(name)) {
        const form = COMMAND_FLAGS.get(name)
        const next = value ?? argv[index + 1]
        if (form === undefined) commandFlags.set(name, true)
        else if (next === undefined || (value === undefined && isFlag(next)))
          problems.push(`${name} needs a value: ${form}`)
        else commandFlags.set(name, next)
        if (form !== undefined && value === undefined && commandFlags.has(name)) index += 1
        continue
      }
      if (flag === undefined) {
        problems.push(unknownFlag(name))
        continue
      }
      const found = takeValue(flag, value, argv[index + 1])
      if (typeof found === 'string') {
        problems.push(`${name} ${found}`)
        continue
      }
      if (found.tookNext) index += 1
      const earlier = flag.option.shape === 'list' ? values.get(flag.option.key) : undefined
      const text = earlier === undefined ? found.text : `${earlier.text},${found.text}`
      values.set(flag.option.key, { text, writtenAs: flag.negated ? name : formatOptionName(flag.option) })
    }
  }
  return { values, words, commandFlags, help, all, version, problems }
}
