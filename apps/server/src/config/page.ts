import { COMMAND_LIST, type CommandEntry, formatCommand } from './command-list.ts'
import { formatDefault, formatEffect, formatFlag, groupOptions } from './help.ts'
import { formatOptionName, type Option, type Setting } from './option.ts'
import { OPTIONS, SETTINGS } from './schema.ts'

const INTRODUCTION = `# Configuration

<!-- written by \`pnpm gen\` from the sections in apps/server/src/config/schema.ts -->

Every flag has a variable, and some have a key of \`/api/settings\` that can be changed while the server runs. A flag
beats its variable, a variable beats the saved setting, the saved setting beats the default. An empty variable counts as
not set. \`.env\` files are not read.

- Flags are written \`--flag value\` or \`--flag=value\`; a switch is \`--flag\`, \`--flag=false\` or \`--no-flag\`. They may stand
  before or after the command.
- Lists are written with commas; a list flag may also be given several times.
- Durations are written as in \`10s\`, \`500ms\` or \`1h30m\`. Sizes are bytes or megabytes as the table says, or carry a unit:
  \`512KB\`, \`15MB\`, \`2GB\`, in powers of 1024.
- Relative paths start in the working directory; the server makes its folders there by default.
- An unknown flag or a value of the wrong form stops the start with exit code 2. An unknown \`SVC_\` variable is a warning.
`

const code = (value: string): string => `\`${value.replaceAll('|', '\\|')}\``

const COMMANDS = `## Commands

| Command | Does |
|---|---|
${COMMAND_LIST.map(commandLine).join('')}| \`svc --help\` | list the commands and flags; \`--all\` adds the flags that are refused |
| \`svc --version\` | print the version and the commit |
`

function commandLine(entry: CommandEntry): string {
  const about = [entry.about, ...(entry.details ?? [])].join(' ').replaceAll('|', '\\|')
  return `| ${code(`svc ${formatCommand(entry)}`)} | ${about} |\n`
}

const REFUSED = `## Refused flags

The flags and variables below are known to programs of this kind, and this server cannot have them. Giving one of them
anything but its default stops the start with the reason.
`

const FILES = `## Files of the configuration folder

Three files in \`--config-dir\` are read at start and again whenever they change; no restart is needed. A change that
cannot be read keeps the last good content and is reported.

| File | Content |
|---|---|
| \`runtime_settings.json\` | an object of settings; written by \`POST /api/settings\`, mode 0600 |
| \`api_keys.json\` | a list of keys, added to those of \`--api-keys\` and of the settings |
| \`external_backends.json\` | an object of \`"name": "uri"\`, added to \`--external-grpc-backends\`; where both name a backend, the flag counts |

At start a \`runtime_settings.json\` or \`api_keys.json\` that cannot be read refuses the start with exit code 78: the keys in
it are not known, and the server does not open itself to everybody.

The content of these two files goes on to count when they vanish while the server runs, also with their folder. The log says
so. To take keys away, write \`[]\` into \`api_keys.json\`, remove them in the settings, or start without the file: a start without
keys serves everybody. \`--require-auth-on-public-bind\` refuses it at a public address.
`

function line(option: Option): string {
  const flag = formatFlag(option)
  const shown = option.shownDefault ?? (formatDefault(option) === '' ? '' : code(formatDefault(option)))
  const effect = formatEffect(option)
  const about = option.setting === undefined ? effect : `${effect}; setting ${code(option.setting)}`
  const cells = [
    flag === '' ? '' : code(flag),
    (option.env ?? []).map(code).join(', '),
    shown,
    about.replaceAll('|', '\\|'),
  ]
  return `| ${cells.join(' | ')} |\n`
}

function tables({ refused }: { readonly refused: boolean }): string[] {
  const level = refused ? '###' : '##'
  return [...groupOptions({ refused })].map(
    ([heading, options]) =>
      `${level} ${heading}\n\n| Flag | Variable | Default | Meaning |\n|---|---|---|---|\n${options.map(line).join('')}`,
  )
}

const SETTINGS_HEAD = `## Settings

\`GET /api/settings\` shows every setting, \`POST /api/settings\` changes any of them. A change acts at once, on the next
request or the next load of a model; none needs a restart. A setting that is refused keeps its value.
A value that a flag or a variable overrides is saved; the reply names it under \`not_in_force\` with the reason.

| Setting | Flag | Acts |
|---|---|---|
`

function settingLine({ key, refusal, owner }: Setting): string {
  const option = OPTIONS.find(({ setting }) => setting === key)
  const flag = option === undefined ? '' : code(formatOptionName(option))
  const acts = owner === undefined ? 'yes' : `yes, through the ${owner} routes`
  return `| ${code(key)} | ${flag} | ${refusal ?? acts} |\n`
}

/** The page `docs/configuration.md`, made from the table of options. */
export function renderConfigurationPage(): string {
  return [
    INTRODUCTION,
    COMMANDS,
    ...tables({ refused: false }),
    SETTINGS_HEAD + SETTINGS.map(settingLine).join(''),
    FILES,
    REFUSED,
    ...tables({ refused: true }),
  ].join('\n')
}
