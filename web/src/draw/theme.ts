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

const SOLID: readonly number[] = [];
const DASHED: readonly number[] = [6, 2];
const DASH_DOT: readonly number[] = [7, 2, 2, 2];
const DOTTED: readonly number[] = [2, 2];

/** Dashes of the five colours, and of the next five, and the next: as `ackclock plot` has them (plot/theme.py). */
const LAPS: readonly (readonly (readonly number[])[])[] = [
  [SOLID, SOLID, DASHED, SOLID, DASHED],
  [DASH_DOT, DASHED, DOTTED, DASH_DOT, DOTTED],
  [DOTTED, DOTTED, SOLID, DOTTED, SOLID],
];

const DASHES: readonly (readonly number[])[] = [SOLID, [7, 3], [2, 3]];

export function stroke(colours: Theme, number: number): Stroke {
  const [lap, place] = [Math.floor(number / colours.series.length), number % colours.series.length];
  return { colour: colours.series[place]!, dash: LAPS[lap % LAPS.length]![place]!, hollow: lap % 2 === 1 };
}

/** The same for a link: links are black and grey, so that nobody takes one for a flow. */
export function linkStroke(colours: Theme, number: number): Stroke {
  return { colour: number % 2 ? colours.soft : colours.ink, dash: DASHES[Math.floor(number / 2) % 3]!, hollow: false };
}
