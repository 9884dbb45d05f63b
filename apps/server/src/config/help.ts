import { type Option, SECTIONS, type Section } from './option.ts'
import { OPTION_ROWS } from './schema.ts'

const WIDTH = 100
const INDENT = 6

const USAGE = `Usage: svc [COMMAND] [FLAGS]

Commands:
  run               start the server (the default)
  models list       list the models of the models path
  models add FILE   put a model file into the models path: --name NAME gives it a name,
                    --link shares the file instead of copying it, --move leaves none behind
  models show NAME  show what is known of a model
  models delete NAME  delete a model with the files that only it uses
  backends list     list the backends that can be used

Flags may stand before or after the command: --flag value, --flag=value, --flag and --no-flag.
A flag beats its variable, a variable beats runtime settings, and an empty variable counts as not set.
`

const LATER = 'Features of later versions have flags too; docs/configuration.md lists them.\n'

/** The rows of one section. */
export function rowsOf(section: Section, built: boolean): readonly Option[] {
  return OPTION_ROWS.map(([, option]) => option).filter(
    (option) => option.section === section && (option.built !== false) === built,
  )
}

/** Headings with their keys, in order. */
export const SECTION_KEYS = Object.keys(SECTIONS).filter((key): key is Section => key in SECTIONS)

/** How a flag is written: `-t, --threads N`; empty where only a variable is taken. */
export function flagForm(option: Option): string {
  if (option.flag === undefined) return ''
  const names = [
    ...(option.short === undefined ? [] : [`-${option.short}`]),
    ...[option.flag, ...(option.aliases ?? [])].map((name) => `--${name}`),
  ]
  return [names.join(', '), option.kind.placeholder].filter((part) => part !== '').join(' ')
}

/** The default as it is shown; empty where there is none worth a word. */
export function defaultForm(option: Option): string {
  return option.shownDefault ?? option.default ?? ''
}

function wrap(sentence: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of sentence.split(' ')) {
    if (line !== '' && INDENT + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => `${' '.repeat(INDENT)}${each}\n`).join('')
}

function entry(option: Option): string {
  const variables = (option.env ?? []).join(', ')
  const heading = [flagForm(option), variables === '' ? '' : `[${variables}]`].filter((part) => part !== '').join('  ')
  const shown = defaultForm(option)
  return `  ${heading}\n${wrap(shown === '' || shown === 'false' ? option.about : `${option.about} (default: ${shown})`)}`
}

/** What `--help` prints: every flag of this version under its heading, with variables and defaults. */
export function helpText(): string {
  const sections = SECTION_KEYS.map((key) => ({ heading: SECTIONS[key], rows: rowsOf(key, true) })).filter(
    ({ rows }) => rows.length > 0,
  )
  return [USAGE, ...sections.map(({ heading, rows }) => `${heading}:\n${rows.map(entry).join('')}`), LATER].join('\n')
}
