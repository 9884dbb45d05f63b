/** Result of unloading a model. */
export interface StopOutcome {
  /**
   * `exited`: its process ended when it was asked to; `killed`: it did not, and was killed; `released`: a backend without a
   * process of this server let it go; `aborted`: it was still loading.
   */
  readonly how: 'exited' | 'killed' | 'released' | 'aborted'
  /** Running calls that were ended with it. */
  readonly endedCalls: number
}
