import { checkArgument } from '@svc/errors'
import type { Detector, JudgedDetection } from '../detector.ts'
import { createScoreLimits } from '../min-scores.ts'
import { createPolicy, type Policy } from '../policy.ts'
import type { Logger, TermFiles, TokenClassifier } from '../ports.ts'
import type { NerSettings } from '../settings.ts'
import { type ChunkHit, type ChunkSettings, chooseChunking } from './chunks.ts'
import { classifyText } from './classify-text.ts'
import { createNeighbours } from './neighbours.ts'
import { createProtectedTerms, createTermMatchers, type TermMatchers } from './protected-terms.ts'
import { type Shield, shieldRanges } from './shield.ts'
import { endWithNextWord, startWithPreviousWord } from './word-extension.ts'
import { createWords } from './words.ts'

/** Options of {@link createNerDetector}. */
export interface NerDetectorOptions {
  /** The name of the detector model. */
  readonly name: string
  readonly settings: NerSettings
  readonly classifier: TokenClassifier
  /** Reads `protectedTermsFiles`; without it they are skipped with a warning. */
  readonly termFiles?: TermFiles | undefined
  /** Shared with other detectors, so that a common list is compiled once. @default one of its own */
  readonly termMatchers?: TermMatchers | undefined
  /**
   * Chunk lengths of longer texts, in UTF-16 code units. Choose them so that the model reads every chunk completely:
   * text that a model silently cuts is not scanned. @default by the classifier's `contextSize`, nearly a code unit for
   * each token, 256 to 4096, with an overlap of 15 %
   */
  readonly chunking?: ChunkSettings | undefined
  /** Most chunks with the classifier at once. @default 4 */
  readonly concurrency?: number | undefined
  readonly logger?: Logger | undefined
}

const DEFAULT_CONTEXT_SIZE = 512

/**
 * Creates the tier that recognises entities by a model (§2.11). It hides protected terms from the model, cuts long
 * texts into chunks, drops detections below the minimum score of their group, and extends detections of the configured groups by a
 * neighbouring word.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for an unknown action or a minimum score outside of 0..1
 */
export function createNerDetector(options: NerDetectorOptions): Detector {
  const { name, settings, classifier, concurrency = 4, logger } = options
  checkArgument(typeof name === 'string' && name !== '', 'createNerDetector: name', 'a name', name)
  const isClassifier = typeof classifier === 'function' || typeof classifier === 'object'
  checkArgument(isClassifier && classifier !== null, 'createNerDetector: classifier', 'a classifier', classifier)
  const limits = createScoreLimits(settings.minScore ?? 0, settings.entityMinScores)
  const judge: Judge = {
    policy: createPolicy(settings),
    extendsNext: new Set(settings.extendToNextWord),
    extendsPrevious: new Set(settings.extendToPreviousWord),
  }
  const terms = createProtectedTerms({
    terms: settings.protectedTerms,
    paths: settings.protectedTermsFiles,
    files: options.termFiles,
    matchers: options.termMatchers ?? createTermMatchers(),
    logger,
  })
  return {
    name,
    async detect({ text, segments }, context) {
      const { signal, correlationId } = context
      const matcher = await terms.current()
      const shield = shieldRanges(
        text,
        matcher === undefined ? [] : segments.flatMap((segment) => matcher.find(text, segment)),
      )
      const chunking =
        options.chunking ?? chooseChunking((await classifier.contextSize?.({ signal })) ?? DEFAULT_CONTEXT_SIZE)
      const hits = await classifyText(classifier, shield.text, {
        minScore: limits.least,
        chunking,
        concurrency,
        signal,
        correlationId,
        onChunk: () => context.onStep?.(),
      })
      const sure = hits.filter(({ group, score }) => limits.accepts(group, score))
      return extendHits(
        text,
        sure.flatMap((hit) => judgeHit(hit, shield, judge)),
        { shield, judge },
      )
    },
  }
}

interface Judge {
  readonly policy: Policy
  readonly extendsNext: ReadonlySet<string>
  readonly extendsPrevious: ReadonlySet<string>
}

/** A detection in the original text: in pieces around protected terms. */
function judgeHit(hit: ChunkHit, shield: Shield, { policy }: Judge): JudgedDetection[] {
  const { group, score } = hit
  return shield
    .toOriginal(hit)
    .map(({ start, end }) => ({ start, end, group, score, source: 'ner', action: policy(group) }))
}

/**
 * Detections extended by adjacent words. One that grows into others covers them completely, so that the union has its
 * name and not theirs.
 */
function extendHits(
  text: string,
  hits: readonly JudgedDetection[],
  { shield, judge }: { readonly shield: Shield; readonly judge: Judge },
): JudgedDetection[] {
  const { extendsNext, extendsPrevious } = judge
  if (extendsNext.size === 0 && extendsPrevious.size === 0) return [...hits]
  const context = { text, words: createWords(text), isProtected: shield.isProtected }
  const { coveringEnd, coveringStart } = createNeighbours(hits)
  return hits.map((hit) => {
    const end = extendsNext.has(hit.group) ? endWithNextWord(hit, context) : hit.end
    const start = extendsPrevious.has(hit.group) ? startWithPreviousWord(hit, context) : hit.start
    return {
      ...hit,
      start: start < hit.start ? coveringStart(start) : start,
      end: end > hit.end ? coveringEnd(end) : end,
    }
  })
}
