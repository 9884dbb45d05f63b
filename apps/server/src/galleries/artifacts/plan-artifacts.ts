import { SvcError } from '@svc/errors'
import { loadsSnapshots } from '../../backends/backend-names.ts'
import type { ModelArtifact, ModelConfig } from '../../catalog/model-config.ts'

/** A snapshot of a repository that a model is to have. */
export interface PlannedArtifact {
  readonly name: string
  readonly target: 'model' | 'companion'
  /** `owner/repo` */
  readonly repository: string
  /** Branch, tag or commit. */
  readonly revision: string
  /** Files that belong to it; all where it is empty. */
  readonly allowPatterns: readonly string[]
  readonly ignorePatterns: readonly string[]
  /** Whether the model file only names the repository: then the backend can fetch it as well. */
  readonly isInferred: boolean
}

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/
/**
 * The variable that the token of the hub comes from. A gallery may name only this one: its value goes to the hub
 * anyway.
 */
export const TOKEN_VARIABLE = 'HF_TOKEN'
/** The only place that snapshots come from. */
const SNAPSHOT_SOURCE = 'huggingface'

/**
 * The snapshots of a model: the ones that its file lists, else the one that its weights name where the backend loads
 * repositories.
 *
 * @throws {SvcError} `invalid_request`, code `invalid_artifact`
 */
export function planArtifacts({ artifacts, backend, parameters }: ModelConfig): readonly PlannedArtifact[] {
  if (artifacts.length > 0) return artifacts.map(toPlanned)
  const repository = toRepository(parameters.model ?? '')
  if (repository === undefined || !loadsSnapshots(backend)) return []
  const everything = { revision: 'main', allowPatterns: [], ignorePatterns: [] }
  return [{ name: 'model', target: 'model', repository, ...everything, isInferred: true }]
}

function toPlanned({ name, target = 'companion', source }: ModelArtifact, index: number): PlannedArtifact {
  const { type = '', repo = '', tokenEnv = '', revision } = source ?? {}
  const refuse = (reason: string): SvcError =>
    new SvcError('invalid_request', `artifacts[${index}]: ${reason}`, { code: 'invalid_artifact' })
  if (!['', SNAPSHOT_SOURCE].includes(type.trim())) {
    throw refuse(
      `artifacts of the type ${JSON.stringify(type.slice(0, 100))} are not fetched: only a repository of the model hub (huggingface) has commits and hashes to check a snapshot by; list other files in files`,
    )
  }
  // A model file must not choose which secret leaves the server.
  if (!['', TOKEN_VARIABLE].includes(tokenEnv.trim())) {
    throw refuse(
      `a token_env other than ${TOKEN_VARIABLE} is not read: the hub gets the token of that variable and no other secret of this server`,
    )
  }
  const repository = toRepository(repo.trim())
  if (repository === undefined) throw refuse('the repository is not owner/repo')
  return {
    name: name ?? `artifact-${index}`,
    target,
    repository,
    isInferred: false,
    revision: revision === undefined || revision === '' ? 'main' : revision,
    allowPatterns: source?.allowPatterns ?? [],
    ignorePatterns: source?.ignorePatterns ?? [],
  }
}

/** `owner/repo`, of that or of an address of the whole repository. */
function toRepository(text: string): string | undefined {
  const path = text.replace(/^(?:huggingface:\/\/|hf:\/\/|https:\/\/huggingface\.co\/|https:\/\/hf\.co\/)/, '')
  const isRepository = REPOSITORY.test(path) && !path.split('/').some((part) => part === '.' || part === '..')
  return isRepository ? path : undefined
}
