/** The page's colours, which style/palette.css has, for what is drawn on canvases. */

export interface Theme {
  readonly ink: string;
  readonly soft: string;
  readonly grid: string;
  readonly paper: string;
  readonly loss: string;
  readonly series: readonly string[];
}

/** The colours as they are now: light or dark. */
export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("ink"),
    soft: colour("soft"),
    grid: colour("grid"),
    paper: colour("paper"),
    loss: colour("loss"),
    series: [1, 2, 3, 4, 5].map((number) => colour(`series-${number}`)),
  };
}

/** How a series by its number, from 0, is drawn: after the last colour the first again, with another dash. */
export interface Stroke {
  readonly colour: string;
  readonly dash: readonly number[];
  /** Drawn hollow where there is no dash: packets. */
  readonly hollow: boolean;
}

const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3]];

export function stroke(colours: Theme, number: number): Stroke {
  const lap = Math.floor(number / colours.series.length);
  return { colour: colours.series[number % colours.series.length]!, dash: DASHES[lap % 3]!, hollow: lap % 2 === 1 };
}

/** The same for a link: links are black and grey, so that nobody takes one for a flow. */
export function linkStroke(colours: Theme, number: number): Stroke {
  return { colour: number % 2 ? colours.soft : colours.ink, dash: DASHES[Math.floor(number / 2) % 3]!, hollow: false };
}
