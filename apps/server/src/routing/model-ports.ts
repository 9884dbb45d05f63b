import type { CallOptions, DecisionModel, Embedder, PromptTemplate, Reranker, Scorer, TokenBudget } from '@svc/router'
import type { ModelConfig } from '../catalog/model-config.ts'
import { leavesMachine } from '../catalog/serving.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import type { OperationKind, OperationRequest, OperationResult } from '../inference/operations/operation.ts'
import type { RequestFilter } from '../pii/request-filter.ts'
import { InnerContext, RoutingCaller } from './caller.ts'
import { filterTexts } from './filter-texts.ts'
import { findContextSize } from './target-facts.ts'

/** Runs an operation on a model inside a request. It takes no slot and makes no record. */
export type PerformInside = <K extends OperationKind>(
  request: OperationRequest<K>,
  model: ModelConfig,
  context: RequestContext,
) => Promise<OperationResult<K>>

/** Options of {@link createModelPorts}. */
export interface ModelPortsOptions {
  readonly perform: PerformInside
  /** Resolves once a model is in memory, or is known not to come. */
  readonly load: (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void>
  readonly filter: RequestFilter
  /** The context of calls that belong to no request, such as those of a corpus that is embedded anew. */
  readonly ownContext: () => RequestContext
}

/** The models that routers ask, in the words of the router library. */
export interface ModelPorts {
  toScorer(model: ModelConfig, template: PromptTemplate | undefined): Scorer
  toReranker(model: ModelConfig): Reranker
  toEmbedder(model: ModelConfig): Embedder
  toDecisionModel(model: ModelConfig): DecisionModel
}

/**
 * Puts models of this server behind the ports of routers.
 *
 * @param listRouters the routers that ask the models, for their PII policies; called for each text
 */
export function createModelPorts(
  listRouters: () => readonly ModelConfig[],
  { perform, load, filter, ownContext }: ModelPortsOptions,
): ModelPorts {
  const toContext = ({ signal, caller }: CallOptions): RequestContext =>
    new InnerContext(caller instanceof RoutingCaller ? caller.context : ownContext(), signal)
  const filterAll = (texts: readonly string[], model: ModelConfig, context: RequestContext) =>
    filterTexts(texts, { filter, model, routers: listRouters(), context })
  const filterOne = async (text: string, model: ModelConfig, context: RequestContext): Promise<string> =>
    (await filterAll([text], model, context))[0] ?? ''

  const toPreparation = (model: ModelConfig) => ({ prepare: ({ signal }: CallOptions) => load(model, { signal }) })

  /** Gives the token budget of a model; undefined where counting them would send the text elsewhere, unfiltered. */
  const toTokens = (model: ModelConfig): TokenBudget | undefined => {
    const contextSize = readContextSize(model)
    if (contextSize === undefined || leavesMachine(model)) return undefined
    return {
      contextSize,
      async countTokens(text, call) {
        const { tokens } = await perform<'tokenize'>({ kind: 'tokenize', text }, model, toContext(call))
        return tokens.length
      },
    }
  }

  return {
    toScorer: (model, template) => ({
      ...toPreparation(model),
      template,
      tokens: toTokens(model),
      async score({ prompt, continuations: candidates }, call) {
        const context = toContext(call)
        const asked = { prompt: await filterOne(prompt, model, context), candidates }
        const { candidates: scores } = await perform<'score'>(
          { kind: 'score', ...asked, tokenLogprobs: false, lengthNormalize: false },
          model,
          context,
        )
        return scores.map(({ logProb, tokens }) => ({ logProbability: logProb, tokenCount: tokens }))
      },
    }),
    toReranker: (model) => ({
      ...toPreparation(model),
      tokens: toTokens(model),
      async rerank({ query, documents }, call) {
        const context = toContext(call)
        const asked = { query: await filterOne(query, model, context), documents }
        return (await perform<'rerank'>({ kind: 'rerank', ...asked }, model, context)).ranking
      },
    }),
    toEmbedder: (model) => ({
      ...toPreparation(model),
      tokens: toTokens(model),
      async embed(texts, call) {
        const context = toContext(call)
        const inputs = await filterAll(texts, model, context)
        return (await perform<'embed'>({ kind: 'embed', inputs }, model, context)).vectors
      },
    }),
    toDecisionModel: (model) => ({
      ...toPreparation(model),
      async decide({ prompt, questions }, call) {
        const context = toContext(call)
        const document = await filterOne(prompt, model, context)
        const asked = questions.map(({ id, label, whenTrue, whenFalse }) => ({
          id,
          instruction: `Does the label "${label}" fit the conversation?`,
          trueCriteria: whenTrue,
          falseCriteria: whenFalse,
        }))
        return (await perform<'decide'>({ kind: 'decide', document, questions: asked }, model, context)).answers
      },
    }),
  }
}

/** The tokens of one call; a text has to fit into one batch. Undefined where the model does not say it. */
function readContextSize(model: ModelConfig): number | undefined {
  const contextSize = findContextSize(model)
  const { batch = 0 } = model.parameters
  return contextSize !== undefined && batch > 0 ? Math.min(contextSize, batch) : contextSize
}
