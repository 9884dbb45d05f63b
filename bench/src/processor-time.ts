/** Seconds of processor time that some work takes: what else the machine does counts little. */
export function seconds(work: () => void): number {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1e6
}
