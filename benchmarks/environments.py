"""Compare the speed of simgin's environments with that of OpenSpiel and RLCard.

    pip install -e '.[rl,oracle]' rlcard
    python benchmarks/environments.py

The script prints deals and steps per second of CPU time on one thread. Both players end the deal
whenever they can, and otherwise take a random legal action. Unless stated otherwise, every engine
writes the observation and the legal actions at every step, which a learner needs.
"""

import random
import time

import numpy as np

MIN_CPU_SECONDS = 5.0
KNOCK_ACTION = 55  # index of the knock action in OpenSpiel and simgin


def choose_action(legal_actions):
    """Return an action that ends the deal if one is legal, otherwise a random legal action."""
    return KNOCK_ACTION if KNOCK_ACTION in legal_actions else random.choice(legal_actions)


def measure_speed(play_game, *arguments):
    """Return the numbers of deals and of steps per second of CPU time."""
    play_game(*arguments)
    deals = steps = 0
    start_time = time.process_time()
    while time.process_time() - start_time < MIN_CPU_SECONDS:
        counts = play_game(*arguments)
        deals, steps = deals + counts[0], steps + counts[1]
    elapsed = time.process_time() - start_time
    return deals / elapsed, steps / elapsed


def play_openspiel(game, with_observations=True):
    """Play a deal in OpenSpiel, and return the numbers of deals and steps.

    Args:
        game: OpenSpiel game.
        with_observations: True to compute an observation at every step.
    """
    state, steps = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            card, _ = random.choice(state.chance_outcomes())
            state.apply_action(card)
            continue
        if with_observations:
            np.array(state.observation_tensor(), np.float32)
        state.apply_action(choose_action(state.legal_actions()))
        steps += 1
    return 1, steps


def play_rlcard(env):
    """Play a deal in RLCard, and return the numbers of deals and steps."""
    state, _ = env.reset()
    steps = 0
    while not env.is_over():
        legal_actions = list(state["legal_actions"])
        # RLCard has one knock action per card, starting at 58.
        knock_actions = [action for action in legal_actions if action >= 58]
        state, _ = env.step(random.choice(knock_actions or legal_actions))
        steps += 1
    return 1, steps


def play_gymnasium(env):
    """Play a deal in Gymnasium, and return the numbers of deals and steps."""
    obs, _ = env.reset()
    steps, is_over = 0, False
    while not is_over:
        obs, _, is_over, _, _ = env.step(choose_action(obs["action_mask"].nonzero()[0].tolist()))
        steps += 1
    return 1, steps


def play_pettingzoo(env):
    """Play a deal in PettingZoo, and return the numbers of deals and steps."""
    env.reset()
    steps = 0
    while True:
        obs, _, is_over, _, _ = env.last()
        if is_over:
            return 1, steps
        env.step(choose_action(obs["action_mask"].nonzero()[0].tolist()))
        steps += 1


def step_environments(envs, masks):
    """Step all environments once, with random legal actions chosen by NumPy."""
    if not masks:
        masks.append(envs.reset(seed=1)[0]["action_mask"])
    action_mask = masks.pop()
    weights = np.random.random(action_mask.shape) * action_mask
    weights[:, KNOCK_ACTION] *= 2
    obs, _, is_over, _, _ = envs.step(weights.argmax(axis=1))
    masks.append(obs["action_mask"])
    return int(is_over.sum()), len(action_mask)


def step_environments_timed(envs, mask_and_time):
    """Step all environments once, and add the CPU time of the step to `mask_and_time[1]`."""
    action_mask = mask_and_time[0]
    actions = (np.random.random(action_mask.shape) * action_mask).argmax(axis=1)
    start_time = time.process_time()
    obs, _, is_over, _, _ = envs.step(actions)
    mask_and_time[1] += time.process_time() - start_time
    mask_and_time[0] = obs["action_mask"]
    return int(is_over.sum()), len(action_mask)


def main():
    """Measure the speeds of all installed libraries, and print them."""
    from simgin.envs import gin_rummy

    speeds = {}
    try:
        import pyspiel

        speeds["OpenSpiel"] = measure_speed(play_openspiel, pyspiel.load_game("gin_rummy"))
        speeds["OpenSpiel, without observations"] = measure_speed(
            play_openspiel, pyspiel.load_game("gin_rummy"), False
        )
    except ImportError:
        print("OpenSpiel is not installed")
    try:
        import rlcard as library

        speeds["RLCard"] = measure_speed(play_rlcard, library.make("gin-rummy"))
    except ImportError:
        print("RLCard is not installed")
    speeds["simgin, PettingZoo"] = measure_speed(play_pettingzoo, gin_rummy.raw_env("eaai"))
    speeds["simgin, Gymnasium, against simple"] = measure_speed(
        play_gymnasium, gin_rummy.gym_env("eaai")
    )
    for n, copies_observations in ((64, True), (128, True), (128, False), (1024, False)):
        envs = gin_rummy.vector_env(n, "eaai", copy=copies_observations)
        copy_text = ", copied" if copies_observations else ""
        speeds[f"simgin, vector of {n}{copy_text}, including choices"] = measure_speed(
            step_environments, envs, []
        )
        mask_and_time, deals, steps = [envs.reset(seed=1)[0]["action_mask"], 0.0], 0, 0
        while mask_and_time[1] < MIN_CPU_SECONDS / 2:
            result = step_environments_timed(envs, mask_and_time)
            deals, steps = deals + result[0], steps + result[1]
        speeds[f"simgin, vector of {n}{copy_text}"] = (
            deals / mask_and_time[1],
            steps / mask_and_time[1],
        )
    for name, (deals, steps) in speeds.items():
        print(f"{name:<44}{deals:>10,.0f} deals/s{steps:>12,.0f} steps/s")


main()
