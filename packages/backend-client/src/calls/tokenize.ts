import {
  BackendService,
  DetokenizeRequest,
  DetokenizeResponse,
  PredictOptions,
  TokenizationResponse,
} from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Token ids and text. */
export const tokenizeMethods = {
  /** Token ids of Prompt. */
  tokenizeString: unary(BackendService.tokenizeString, PredictOptions, TokenizationResponse),
  /** Text of token ids. */
  detokenize: unary(BackendService.detokenize, DetokenizeRequest, DetokenizeResponse),
} as const
