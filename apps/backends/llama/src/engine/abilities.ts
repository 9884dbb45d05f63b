import type { GgufHeader } from '@svc/gguf'
import type { LlamaModel } from 'node-llama-cpp'
import type { ModelSettings } from './settings.ts'

/** Abilities of a loaded model. */
export interface ModelAbilities {
  /** Whether it can continue text. */
  readonly canGenerate: boolean
  /** Whether it was loaded to embed. */
  readonly canEmbed: boolean
  /** Basis of ranking. */
  readonly ranking: 'none' | 'head' | 'cosine'
  /** Whether it was loaded to score continuations. */
  readonly canScore: boolean
}

/** Architectures that read a whole text at once and cannot continue it; the engine aborts on an attempt. */
const EMBEDDING_ARCHITECTURES =
  /^(bert|modern-bert|nomic-bert|nomic-bert-moe|neo-bert|jina-bert-v[23]|eurobert|gemma-embedding|llama-embed|t5|t5encoder)$/
/** Pooling type of models that score a pair of texts. */
const RANK_POOLING = 4

/** Finds the abilities of a model by its file and its settings. */
export function findModelAbilities(
  header: GgufHeader,
  settings: Pick<ModelSettings, 'embeddings' | 'pooling' | 'ranking' | 'rankByCosine' | 'scoring'>,
  { fileInsights }: Pick<LlamaModel, 'fileInsights'>,
): ModelAbilities {
  const isRanking = settings.pooling === undefined ? saysRank(header) : settings.pooling === 'rank'
  const canGenerate = isCausal(header)
  // For a vector, the engine would read past the scores of a ranking model.
  const canEmbed = (settings.embeddings || settings.rankByCosine || !canGenerate) && !isRanking
  const hasHead = fileInsights.supportsRanking && (isRanking || settings.ranking)
  const ranking = settings.rankByCosine && canEmbed ? 'cosine' : hasHead ? 'head' : 'none'
  return { canGenerate, canEmbed, ranking, canScore: canGenerate && settings.scoring }
}

/** Whether each token of a model depends only on the tokens before it. */
export function isCausal({ keys }: GgufHeader): boolean {
  const architecture = String(keys.get('general.architecture'))
  return !EMBEDDING_ARCHITECTURES.test(architecture) && keys.get(`${architecture}.attention.causal`) !== false
}

function saysRank({ keys }: GgufHeader): boolean {
  return keys.get(`${keys.get('general.architecture')}.pooling_type`) === RANK_POOLING
}
