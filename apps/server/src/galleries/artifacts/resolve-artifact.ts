import { hash } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { UriServices } from '../../downloads/resolve-uri.ts'
import type { OutboundClient } from '../../outbound/client.ts'
import { type HubFile, readHubRepository } from '../hub-repository.ts'
import { compilePatterns } from './match-patterns.ts'
import type { PlannedArtifact } from './plan-artifacts.ts'

/** An artifact with its commit and its files. */
export interface ResolvedArtifact extends PlannedArtifact {
  /** Address of the hub. */
  readonly endpoint: string
  /** The commit, 40 hexadecimal digits. */
  readonly commit: string
  /** Hash of everything that decides over the content, 64 hexadecimal digits: the name of the snapshot's folder. */
  readonly cacheKey: string
  readonly files: readonly HubFile[]
  /** The file of a snapshot that has only one. */
  readonly primaryFile: string | undefined
}

/** Names that files have here while they are fetched. */
const IS_PARTIAL = /\.partial(\.json)?$/

/** Parts of {@link resolveArtifact}. */
export interface ArtifactResolverParts {
  readonly client: OutboundClient
  readonly services: () => UriServices
}

/**
 * Finds the commit and the files that an artifact means now.
 *
 * @throws {SvcError} as {@link readHubRepository} and {@link compilePatterns}; `unprocessable`, code `artifact_empty`
 */
export async function resolveArtifact(
  planned: PlannedArtifact,
  parts: ArtifactResolverParts,
  signal: AbortSignal,
): Promise<ResolvedArtifact> {
  const { repository, revision, allowPatterns, ignorePatterns } = planned
  const isAllowed = allowPatterns.length === 0 ? () => true : compilePatterns(allowPatterns)
  const isIgnored = compilePatterns(ignorePatterns)
  const found = await readHubRepository(repository, { ...parts, revision }, signal)
  const files = found.files.filter(({ path }) => isAllowed(path) && !isIgnored(path) && !IS_PARTIAL.test(path))
  if (files.length === 0) {
    throw new SvcError('unprocessable', `no file of ${repository} belongs to the artifact "${planned.name}"`, {
      code: 'artifact_empty',
    })
  }
  const endpoint = parts.services().hubUrl
  const identity = {
    type: 'huggingface',
    endpoint,
    repo: repository,
    revision: found.revision,
    allow_patterns: allowPatterns,
    ignore_patterns: ignorePatterns,
  }
  return {
    ...planned,
    endpoint,
    files,
    commit: found.revision,
    cacheKey: hash('sha256', JSON.stringify(identity), 'hex'),
    // An engine that loads repositories wants the folder.
    primaryFile: files.length === 1 && !planned.isInferred ? files[0]?.path : undefined,
  }
}

/** An artifact as the model file has it. */
export function toArtifactFields(artifact: ResolvedArtifact): Readonly<Record<string, unknown>> {
  const { name, target, repository, revision, allowPatterns, ignorePatterns } = artifact
  return {
    name,
    target,
    source: {
      type: 'huggingface',
      repo: repository,
      revision,
      ...(allowPatterns.length === 0 ? {} : { allow_patterns: allowPatterns }),
      ...(ignorePatterns.length === 0 ? {} : { ignore_patterns: ignorePatterns }),
    },
    resolved: {
      endpoint: artifact.endpoint,
      revision: artifact.commit,
      cache_key: artifact.cacheKey,
      ...(artifact.primaryFile === undefined ? {} : { primary_file: artifact.primaryFile }),
    },
  }
}
