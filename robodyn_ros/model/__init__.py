"""What the robot is: URDF or DH text -> description -> frozen arrays.

    urdf.parse, dh.describe -> RobotDescription -> build.build -> RobotModel

Only numpy is needed here. The columns of the arrays are in `layout`.
"""
