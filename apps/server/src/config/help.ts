import { type CommandEntry, formatCommand, LOCAL_COMMANDS, REMOTE_COMMAND_LIST } from './command-list.ts'
import type { Option } from './option.ts'
import { OPTIONS } from './schema.ts'

const WIDTH = 100
const INDENT = 6

function commandLines(entries: readonly CommandEntry[], width: number): string {
  return entries
    .flatMap((entry) => [
      `  ${formatCommand(entry).padEnd(width - 1)}  ${entry.about}`,
      ...(entry.details ?? []).map((detail) => `${' '.repeat(width + 3)}${detail}`),
    ])
    .map((line) => `${line}\n`)
    .join('')
}

const USAGE = `Usage: svc [COMMAND] [FLAGS]

Commands:
${commandLines(LOCAL_COMMANDS, 17)}
Commands for a running server (--address and --api-keys find it). Those about models and backends work on the
folders where none runs. Ctrl-C pauses an installation; --json prints JSON:
${commandLines(REMOTE_COMMAND_LIST, 22)}
Flags may stand before or after the command: --flag value, --flag=value, --flag and --no-flag.
A flag beats its variable, a variable beats runtime settings, and an empty variable counts as not set.
`

const MORE = 'Flags that are refused have reasons: `svc --help --all` lists them.\n'
const REFUSED_HEADING = 'Flags that are refused. Only their default is accepted.\n'

/** The options that act, or those that are refused, by heading. */
export function groupOptions({ refused }: { readonly refused: boolean }): ReadonlyMap<string, readonly Option[]> {
  const groups = new Map<string, Option[]>()
  for (const option of OPTIONS) {
    if ((option.refusal !== undefined) !== refused) continue
    const group = groups.get(option.heading)
    if (group === undefined) groups.set(option.heading, [option])
    else group.push(option)
  }
  return groups
}

/** A flag as it is written: `-t, --threads N`; empty where only a variable is read. */
export function formatFlag(option: Option): string {
  if (option.flag === undefined) return ''
  const names = [
    ...(option.short === undefined ? [] : [`-${option.short}`]),
    ...[option.flag, ...(option.aliases ?? [])].map((name) => `--${name}`),
  ]
  return [names.join(', '), option.placeholder].filter((part) => part !== '').join(' ')
}

/** The effect of an option, or why it is refused. */
export function formatEffect({ about, refusal }: Option): string {
  return refusal === undefined ? about : `${about}: ${refusal}`
}

/** The default as help and documentation show it; empty for none. */
export function formatDefault(option: Option): string {
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

function formatEntry(option: Option): string {
  const variables = (option.env ?? []).join(', ')
  const heading = [formatFlag(option), variables === '' ? '' : `[${variables}]`]
    .filter((part) => part !== '')
    .join('  ')
  const shown = formatDefault(option)
  const effect = formatEffect(option)
  return `  ${heading}\n${wrap(shown === '' || shown === 'false' ? effect : `${effect} (default: ${shown})`)}`
}

function formatGroups(of: { readonly refused: boolean }): string[] {
  return [...groupOptions(of)].map(([heading, options]) => `${heading}:\n${options.map(formatEntry).join('')}`)
}

/**
 * The text of `--help`: every flag under its heading, with variables and defaults.
 *
 * @param options.all also lists the flags that are refused, at the end
 */
export function helpText({ all }: { readonly all: boolean }): string {
  return [
    USAGE,
    ...formatGroups({ refused: false }),
    ...(all ? [REFUSED_HEADING, ...formatGroups({ refused: true })] : [MORE]),
  ].join('\n')
}

const WORKER_USAGE = `Usage: svc worker [FLAGS]

Runs models for the front ends of several machines. It needs --register-to, a registration token and the message bus.
A variable LOCALAI_NAME of a worker of LocalAI counts where SVC_NAME is not set.
`

/** Options of other sections that a worker reads. */
const WORKER_KEYS: ReadonlySet<string> = new Set([
  ...['registrationToken', 'natsUrl', 'natsRequireAuth', 'natsTlsCa', 'natsTlsCert', 'natsTlsKey'],
  ...['storageUrl', 'storageBucket', 'storageRegion', 'storageAccessKey', 'storageSecretKey'],
  ...['modelsPath', 'backendsPath', 'backendsSystemPath', 'dataPath', 'vramBudget', 'externalGrpcBackends'],
  ...['forceMetaBackendCapability', 'backendGalleries', 'galleries', 'requireBackendIntegrity', 'sigstoreTrustedRoot'],
  ...['credentialsFile', 'contentUrlAllow', 'httpsProxy', 'httpProxy', 'noProxy', 'logLevel', 'logFormat', 'debug'],
])

/** The text of `svc worker --help`: the flags that a worker reads, its own first. */
export function workerHelpText(): string {
  const own = OPTIONS.filter(({ heading }) => heading === 'Worker')
  const shared = OPTIONS.filter(({ key }) => WORKER_KEYS.has(key))
  const format = (heading: string, options: readonly Option[]): string =>
    `${heading}:\n${options.map(formatEntry).join('')}`
  return [WORKER_USAGE, format('Worker', own), format('Shared with the server', shared)].join('\n')
}
