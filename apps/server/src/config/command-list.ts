import { ACCOUNT_COMMAND_LIST } from './account-command.ts'
import { NODE_COMMAND_LIST } from './node-command.ts'
import { REMOTE_COMMANDS } from './remote-command.ts'

/** A command of the program. */
export interface CommandEntry {
  /** The words that name it. */
  readonly words: string
  /** Arguments after the words. */
  readonly takes?: string | undefined
  readonly about: string
  /** Further lines: flags of its own, exceptions. */
  readonly details?: readonly string[] | undefined
}

/** The commands that work in this process on folders and files. */
const OWN_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'run',
    takes: '[NAME...]',
    about: 'start the server (the default), install the named models where they are missing, load them',
  },
  {
    words: 'chat',
    takes: 'MODEL [PROMPT]',
    about: 'talk to a model; a prompt, or a text from a pipe, is answered once:',
    details: ['--system TEXT is the system message, - in the prompt stands for the text from a pipe'],
  },
  {
    words: 'worker',
    about: 'run models for the front ends of --register-to; `svc worker --help` lists its flags',
  },
  {
    words: 'mcp',
    about: 'let an assistant run the server: the Model Context Protocol on standard input and output',
  },
  { words: 'models list', about: 'list the models of the models path' },
  {
    words: 'models add',
    takes: 'FILE',
    about: 'put a model file into the models path: --name NAME gives it a name,',
    details: ['--link shares the file instead of copying it, --move leaves none behind'],
  },
  {
    words: 'models convert',
    takes: 'FOLDER',
    about: 'make a model with a Whisper file of a folder of faster-whisper:',
    details: ['--name NAME gives it a name'],
  },
  { words: 'models show', takes: 'NAME', about: 'show what is known of a model' },
  { words: 'models delete', takes: 'NAME', about: 'delete a model with the files that only it uses' },
  { words: 'models export-config', takes: 'NAME', about: 'print the configuration of a model' },
  { words: 'models schema', about: 'print the JSON Schema of model files, for editors' },
  { words: 'prices list', about: 'list the models of the models path with what they cost' },
  { words: 'prices check', takes: 'FILE', about: 'check a price list and name the lines of its faults' },
  { words: 'backends list', about: 'list the backends that can be used' },
  {
    words: 'router fit',
    takes: 'NAME FILE',
    about: 'propose thresholds that fit labelled texts; for knn also those of the corpus,',
    details: ['and FILE may be left out'],
  },
  {
    words: 'router eval',
    takes: 'NAME FILE',
    about: 'route labelled texts and count those that the right model serves:',
    details: ['--min-rate 0.9 ends with code 1 below that share'],
  },
  {
    words: 'pii eval',
    takes: 'FILE',
    about: 'run detectors over labelled texts and count what they find and miss:',
    details: [
      '--detectors NAME,NAME names models, else all built-ins run,',
      '--offsets codepoint, utf16 or utf8 is the unit of the labels',
    ],
  },
  { words: 'mitm ca', about: 'show the certificate that clients of the intercepting proxy trust, and how they do' },
  {
    words: 'cluster keys',
    takes: 'FOLDER',
    about: 'make the secrets of a new cluster:',
    details: ['cluster.env holds variables, nats.conf configures its message bus'],
  },
  { words: 'p2p token', about: 'make a token for a new peer-to-peer network' },
  {
    words: 'p2p worker',
    takes: 'SERVER',
    about: 'offer an rpc-server of llama.cpp to the network of --p2p-token:',
    details: ['PORT or HOST:PORT of a running one, or a program to start, its arguments after --'],
  },
  { words: 'openapi', about: 'print the OpenAPI document of the server, for generators of clients' },
]

/** The commands that work in this process, the account commands last. */
export const LOCAL_COMMANDS: readonly CommandEntry[] = [...OWN_COMMANDS, ...ACCOUNT_COMMAND_LIST]

/** The commands for a running server. */
export const REMOTE_COMMAND_LIST: readonly CommandEntry[] = [
  ...REMOTE_COMMANDS.map(({ verb, takes, about }) => ({ words: verb, takes, about })),
  ...NODE_COMMAND_LIST,
]

/** Every command. */
export const COMMAND_LIST: readonly CommandEntry[] = [...LOCAL_COMMANDS, ...REMOTE_COMMAND_LIST]

/** A command with its arguments. */
export function formatCommand({ words, takes }: CommandEntry): string {
  return takes === undefined ? words : `${words} ${takes}`
}
