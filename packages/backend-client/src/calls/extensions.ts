import {
  CapabilitiesReply,
  CapabilitiesRequest,
  DecideReply,
  DecideRequest,
  ExtensionsService,
  PromptLogprobsReply,
  PromptLogprobsRequest,
  RestoreSlotReply,
  RestoreSlotRequest,
  SaveSlotReply,
  SaveSlotRequest,
} from '../gen/extensions.ts'
import { unary } from '../method.ts'

/** Every rpc of `svc.backend.v1.Extensions`. A backend of others answers `not_implemented`. */
export const extensionMethods = {
  /** The abilities of the backend with the model that is loaded. */
  capabilities: unary(ExtensionsService.capabilities, CapabilitiesRequest, CapabilitiesReply),
  /** Writes the cache of one slot to a file. */
  saveSlot: unary(ExtensionsService.saveSlot, SaveSlotRequest, SaveSlotReply),
  /** Reads the cache of one slot back. */
  restoreSlot: unary(ExtensionsService.restoreSlot, RestoreSlotRequest, RestoreSlotReply),
  /** Answers independent yes/no questions about one document. */
  decide: unary(ExtensionsService.decide, DecideRequest, DecideReply),
  /** Reads how likely each token of a prompt is, and generates nothing. */
  promptLogprobs: unary(ExtensionsService.promptLogprobs, PromptLogprobsRequest, PromptLogprobsReply),
} as const
