import type { Option } from './option.ts'
import { REMOTE_COMMANDS } from './remote-command.ts'
import { OPTIONS } from './schema.ts'

const WIDTH = 100
const INDENT = 6

const USAGE = `Usage: svc [COMMAND] [FLAGS]

Commands:
  run [NAME...]     start the server (the default), install the named models where they are missing, load them
  chat MODEL [PROMPT]  talk to a model; a prompt, or a text from a pipe, is answered once:
                    --system TEXT is the system message, - in the prompt stands for the text from a pipe
  models list       list the models of the models path
  models add FILE   put a model file into the models path: --name NAME gives it a name,
                    --link shares the file instead of copying it, --move leaves none behind
  models show NAME  show what is known of a model
  models delete NAME  delete a model with the files that only it uses
  models export-config NAME  print the configuration of a model
  models schema     print the JSON Schema of model files, for editors
  backends list     list the backends that can be used
  router fit NAME FILE  propose thresholds that fit labelled texts; for knn also those of the corpus,
                    and FILE may be left out
  router eval NAME FILE  route labelled texts and count those that the right model serves:
                    --min-rate 0.9 ends with code 1 below that share
  pii eval FILE     run detectors over labelled texts and count what they find and miss:
                    --detectors NAME,NAME names models, else all built-ins run,
                    --offsets codepoint, utf16 or utf8 is the unit of the labels
  mitm ca           show the certificate that clients of the intercepting proxy trust, and how they do
  openapi           print the OpenAPI document of the server, for generators of clients
  users list        list the accounts
  users create EMAIL  make an account; prints its password, or takes it from --password-stdin;
                    --name NAME, --role admin
  users promote USER  make an account an admin; USER is an address or an id
  users approve USER  let an account in that waits for approval
  users disable USER  end what an account runs, and let it in no more
  users enable USER   let a disabled account in again
  users delete USER   delete an account with its keys, quotas and usage
  users reset-password USER  give an account a new password and end its sessions
  keys create USER  make an API key and print it once: --name NAME, --expires 90d
  keys list USER    list the API keys of an account
  keys revoke ID    revoke an API key
  invites create    make an invite and print its address: --hours N
  invites list      list the invites
  invites revoke ID  revoke an unused invite
  secret rotate     take a new secret, with no server running; ends every session, API key and invite
                    --json prints the result of a command about accounts, keys, invites or the secret as JSON

Commands for a running server (--address and --api-keys find it). Those about models and backends work on the
folders where none runs. Ctrl-C pauses an installation; --json prints JSON:
${REMOTE_COMMANDS.map(({ verb, takes, about }) => `  ${[verb, takes ?? ''].join(' ').trim().padEnd(22)} ${about}\n`).join('')}
Flags may stand before or after the command: --flag value, --flag=value, --flag and --no-flag.
A flag beats its variable, a variable beats runtime settings, and an empty variable counts as not set.
`

const LATER = 'Features of later versions have flags too: `svc --help --all` lists them.\n'
const LATER_HEADING = 'Flags of later versions. Anything but their default is refused.\n'

/** The options of this version or those of later ones, by heading. */
export function groupOptions(isBuilt: boolean): ReadonlyMap<string, readonly Option[]> {
  const groups = new Map<string, Option[]>()
  for (const option of OPTIONS) {
    if (option.isBuilt !== isBuilt) continue
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
  return `  ${heading}\n${wrap(shown === '' || shown === 'false' ? option.about : `${option.about} (default: ${shown})`)}`
}

function formatGroups(isBuilt: boolean): string[] {
  return [...groupOptions(isBuilt)].map(([heading, options]) => `${heading}:\n${options.map(formatEntry).join('')}`)
}

/**
 * The text of `--help`: every flag under its heading, with variables and defaults.
 *
 * @param options.all also lists the flags of later versions, at the end
 */
export function helpText({ all }: { readonly all: boolean }): string {
  return [USAGE, ...formatGroups(true), ...(all ? [LATER_HEADING, ...formatGroups(false)] : [LATER])].join('\n')
}
