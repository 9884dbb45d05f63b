import { SvcError } from '@svc/errors'
import type { RemoteCommand, RemoteVerb } from '../config/remote-command.ts'
import type { PlatformOptions } from '../platform/open-platform.ts'
import { formatRows } from './account-table.ts'
import { followJob } from './follow-job.ts'
import { type LocalVerb, runLocalOperations } from './local-operations.ts'
import { withOwnServer } from './own-server.ts'
import {
  createServerClient,
  type Fields,
  isNoServer,
  type ServerClient,
  toFields,
  toRows,
  toServerUrl,
} from './remote-client.ts'
import { print, printErrorLine, printJson, printLine } from './terminal.ts'

/** Commands that change or show the list of operations, and start no work. */
const LOCAL_VERBS: readonly RemoteVerb[] = [
  ...([
    'operations list',
    'operations history',
    'operations cancel',
    'operations pause',
    'operations dismiss',
  ] as const),
]

function isLocalVerb(verb: RemoteVerb): verb is LocalVerb {
  return LOCAL_VERBS.includes(verb)
}

/**
 * Has the running server carry out a command, or this process where none runs. An installation is followed to its end;
 * Ctrl-C pauses it.
 *
 * @throws {SvcError} of the connection, or the refusal of the server
 */
export async function runRemoteCommand(options: PlatformOptions, command: RemoteCommand): Promise<void> {
  const url = toServerUrl(options.config)
  try {
    return await perform(createServerClient(url, options.config), command)
  } catch (error) {
    if (!isNoServer(error)) throw error
  }
  const { verb, argument } = command
  if (isLocalVerb(verb)) return printOperationsAnswer(await runLocalOperations(options, { verb, argument }), command)
  await withOwnServer(options, (server) => perform(server, command))
}

async function perform(server: ServerClient, command: RemoteCommand): Promise<void> {
  const { verb, argument } = command
  const id = encodeURIComponent(argument)
  switch (verb) {
    case 'models available':
    case 'backends available':
      printAvailable(toRows(await server.get(`/${verb.split(' ')[0]}/available`)), command)
      return printProblems(toRows(await server.get(`/${verb.split(' ')[0]}/galleries`)))
    case 'models install': {
      const { uuid } = await server.post('/models/apply', { id: argument })
      return followJob(server, { path: `/models/jobs/${String(uuid)}`, id: String(uuid) }, command)
    }
    case 'models import': {
      const preferences = { name: command.name ?? null, backend: command.backend ?? null }
      const { uuid } = await server.post('/models/import-uri', { uri: argument, preferences })
      return followJob(server, { path: `/models/jobs/${String(uuid)}`, id: String(uuid) }, command)
    }
    case 'models prune':
      return pruneModels(server, command)
    case 'backends install':
      return installBackend(server, argument, command)
    case 'backends upgrade':
      return upgradeBackends(server, command)
    case 'backends delete': {
      const { id: job } = await server.post(`/backends/delete/${id}`)
      return followJob(server, { path: `/backends/jobs/${String(job)}`, id: String(job) }, command)
    }
    case 'operations list':
      return printOperationsAnswer(await server.get('/api/operations'), command)
    case 'operations history':
      return printOperationsAnswer(await server.get('/api/operations/history'), command)
    case 'operations retry':
      return retry(server, command)
    case 'operations cancel':
    case 'operations pause':
    case 'operations dismiss':
      return printOperationsAnswer(
        await server.post(`/api/operations/${id}/${verb.slice('operations '.length)}`),
        command,
      )
  }
}

/** Deletes unused files of the models folder, or shows which ones would go. */
async function pruneModels(server: ServerClient, { argument, json, isDryRun }: RemoteCommand): Promise<void> {
  if (isDryRun !== true) {
    const pruned = await server.post('/api/models/prune', argument === '' ? {} : { files: [argument] })
    return json ? printJson(pruned) : printPruned(pruned)
  }
  const unused = await server.get('/api/models/unused')
  const { files, installing } = toFields(unused)
  const chosen = toRows(files).filter(({ file }) => argument === '' || file === argument)
  if (argument !== '' && chosen.length === 0) {
    throw new SvcError('not_found', `${argument} is not an unused file`, { code: 'file_not_unused' })
  }
  if (json) return printJson(argument === '' ? unused : { ...toFields(unused), files: chosen })
  print(
    formatUnused(
      chosen.map((row) => (row.selected === true || argument !== '' ? ['would delete', row] : ['keeps', row])),
    ),
  )
  printInstalling(installing)
  if (chosen.some(({ selected }) => selected !== true) && argument === '') {
    print('An entry that stays goes with svc models prune FILE.\n')
  }
}

function printPruned(pruned: Fields): void {
  const { removed, failed, stopped, installing } = pruned
  print(formatUnused(toRows(removed).map((row) => ['deleted', row])))
  for (const { file, error } of toRows(failed)) printErrorLine(`${String(file)} is still there: ${String(error)}`)
  if (stopped === 'installation') printLine('an installation was asked for meanwhile: the rest stays')
  printInstalling(installing)
}

function printInstalling(names: unknown): void {
  if (!Array.isArray(names) || names.length === 0) return
  printLine(`${names.join(', ')} is being installed: files that it may need are left out`)
}

/** Lines of unused files with the result of each, and their sum. */
function formatUnused(rows: readonly (readonly [string, Fields])[]): string {
  if (rows.length === 0) return 'no unused files\n'
  const toMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
  const sum = rows.reduce((total, [, { size_bytes: bytes }]) => total + Number(bytes), 0)
  const cells = rows.map(([word, row]) => [
    word,
    String(row.kind),
    toMegabytes(Number(row.size_bytes)),
    String(row.file),
  ])
  return `${formatRows(cells)}${toMegabytes(sum)} in all\n`
}

/** Installs an entry of a gallery, or the backend behind an address. */
async function installBackend(server: ServerClient, name: string, options: Pick<RemoteCommand, 'json'>): Promise<void> {
  const { id, jobID } = isAddress(name)
    ? await server.post('/api/backends/install-external', { uri: name })
    : await server.post('/backends/apply', { id: name })
  const job = String(id ?? jobID)
  await followJob(server, { path: `/backends/jobs/${job}`, id: job }, options)
}

function isAddress(name: string): boolean {
  return name.startsWith('/') || name.includes('://') || /^[^/@]*[.:][^/@]*\//.test(name)
}

/** Installs the newer build of one backend, or of each that has one. */
async function upgradeBackends(server: ServerClient, command: RemoteCommand): Promise<void> {
  const names =
    command.argument === '' ? Object.keys(await server.post('/backends/upgrades/check')) : [command.argument]
  if (names.length === 0 && !command.json) print('every backend is up to date\n')
  for (const name of names) {
    if (!command.json) printLine(name)
    const { id } = await server.post(`/backends/upgrade/${encodeURIComponent(name)}`)
    await followJob(server, { path: `/backends/jobs/${String(id)}`, id: String(id) }, command)
  }
}

/** Acknowledges a failed installation and starts it anew; the variant is chosen again. */
async function retry(server: ServerClient, command: RemoteCommand): Promise<void> {
  const { operations } = toFields(await server.get('/api/operations'))
  const found = toRows(operations).find(({ jobID }) => jobID === command.argument)
  if (found === undefined || found.error === undefined) {
    throw new SvcError('not_found', `operation "${command.argument}" is not one that failed`)
  }
  if (found.isDeletion === true) throw new SvcError('invalid_request', 'a removal is not retried: delete it again')
  await server.post(`/api/operations/${encodeURIComponent(command.argument)}/dismiss`)
  const id = String(found.id)
  if (found.isBackend === true) return installBackend(server, id, command)
  const { jobID } = await server.post(`/api/models/install/${encodeURIComponent(id)}`)
  return followJob(server, { path: `/models/jobs/${String(jobID)}`, id: String(jobID) }, command)
}

function printAvailable(rows: readonly Fields[], { json }: Pick<RemoteCommand, 'json'>): void {
  if (json) {
    printJson(rows)
    return
  }
  for (const { name, installed, description } of rows) {
    const line = String(description ?? '').split(/\r?\n/, 1)[0] ?? ''
    const state = installed === true ? ' (installed)' : ''
    printLine(`${String(name)}${state}${line === '' ? '' : `  ${line}`}`)
  }
}

/** Names the galleries that cannot be read, beside the output of the command. */
function printProblems(galleries: readonly Fields[]): void {
  for (const { name, error } of galleries) {
    if (error !== undefined) printErrorLine(`gallery ${String(name)} cannot be read: ${String(error)}`)
  }
}

/** Prints a list of operations, or the message of a change. */
function printOperationsAnswer(value: unknown, { json }: Pick<RemoteCommand, 'json'>): void {
  const { operations, message } = toFields(value)
  if (json) {
    printJson(operations ?? value)
    return
  }
  if (operations === undefined) printLine(String(message))
  for (const { jobID, taskType, id, outcome, progress, message, error, isQueued } of toRows(operations)) {
    const state = outcome ?? (error === undefined ? (isQueued === true ? 'queued' : `${String(progress)} %`) : 'failed')
    const detail = error ?? message ?? ''
    const columns = [jobID, taskType, id, state, detail].map(String).join('  ')
    printLine(columns.trimEnd())
  }
}
