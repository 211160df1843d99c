/** The views of an installation, in the order of its tabs. */
export const installationPages = [
  'board',
  'live',
  'plot',
  'alarms',
  'rules',
  'functions',
  'mappings',
  'connect'
] as const
